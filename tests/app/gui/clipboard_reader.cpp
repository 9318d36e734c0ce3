// Prints the clipboard's text, as another program that pastes it.
#include <GLFW/glfw3.h>

#include <cstdio>

int main() {
  if (glfwInit() == GLFW_FALSE) return 1;
  glfwWindowHint(GLFW_CLIENT_API, GLFW_NO_API);
  glfwWindowHint(GLFW_VISIBLE, GLFW_FALSE);
  GLFWwindow* window = glfwCreateWindow(16, 16, "reader", nullptr, nullptr);
  const char* text = window == nullptr ? nullptr : glfwGetClipboardString(window);
  if (text != nullptr) std::fputs(text, stdout);
  const int result = text == nullptr ? 1 : 0;
  glfwTerminate();
  return result;
}
