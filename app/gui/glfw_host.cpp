// A desktop window, with GLFW.
#define GLFW_INCLUDE_NONE
#include <vulkan/vulkan.h>
// Included after vulkan.h, for its surface functions.
#include <GLFW/glfw3.h>
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdlib>

#include "app/gui/glfw_keys.h"
#include "app/gui/host.h"
#include "core/error.h"
#include "present/vulkan_error.h"

namespace mote::gui {
namespace {

constexpr const char* kRemedy =
    "start it on a desktop, or without a window: mote view --offscreen --script FILE, mote render";

/// The text of GLFW's last error.
std::string glfw_fault() {
  const char* text = nullptr;
  glfwGetError(&text);
  return text != nullptr ? text : "no reason is given";
}

/// Initialises GLFW and terminates it at the end.
class Glfw {
 public:
  Glfw() {
    if (glfwInit() != GLFW_TRUE) {
      throw Error(fmt::format("no window can be opened: {}", glfw_fault()), "display", kRemedy);
    }
  }
  ~Glfw() { glfwTerminate(); }
  Glfw(const Glfw&) = delete;
  Glfw& operator=(const Glfw&) = delete;
};

class GlfwHost : public Host {
 public:
  GlfwHost(int width, int height) {
    // If GLFW found only a loader, the presenter reports the same error.
    if (glfwVulkanSupported() != GLFW_TRUE) {
      present::check(VK_ERROR_INCOMPATIBLE_DRIVER, "find a driver", "Vulkan");
    }
    glfwWindowHint(GLFW_CLIENT_API, GLFW_NO_API);
    glfwWindowHint(GLFW_SCALE_TO_MONITOR, GLFW_TRUE);
    window_ = glfwCreateWindow(width, height, "Mote", nullptr, nullptr);
    if (window_ == nullptr) {
      throw Error(fmt::format("no window can be opened: {}", glfw_fault()), "display", kRemedy);
    }
    glfwSetWindowUserPointer(window_, this);
    limit_size();
    set_callbacks();
    ask_size();
    constexpr std::array<int, 6> kShapes{GLFW_ARROW_CURSOR,   GLFW_IBEAM_CURSOR,
                                         GLFW_HRESIZE_CURSOR, GLFW_VRESIZE_CURSOR,
                                         GLFW_HAND_CURSOR,    GLFW_CROSSHAIR_CURSOR};
    for (std::size_t i = 0; i < kShapes.size(); ++i) {
      cursors_[i] = glfwCreateStandardCursor(kShapes[i]);
    }
  }
  ~GlfwHost() override {
    for (GLFWcursor* cursor : cursors_) {
      if (cursor != nullptr) glfwDestroyCursor(cursor);
    }
    if (window_ != nullptr) glfwDestroyWindow(window_);
  }
  GlfwHost(const GlfwHost&) = delete;
  GlfwHost& operator=(const GlfwHost&) = delete;

  void poll(double wait_s, std::vector<InputEvent>& events) override {
    if (wait_s > 0 && events_.empty()) {
      glfwWaitEventsTimeout(wait_s);
    } else {
      glfwPollEvents();
    }
    for (InputEvent& event : events_) events.push_back(std::move(event));
    events_.clear();
  }
  int width() const override { return is_hidden() ? 0 : size_[0]; }
  int height() const override { return is_hidden() ? 0 : size_[1]; }
  float scale() const override {
    float x = 1, y = 1;
    glfwGetWindowContentScale(window_, &x, &y);
    return std::max(x, y);
  }
  bool is_full_screen() const override { return glfwGetWindowMonitor(window_) != nullptr; }
  bool take_close() override {
    if (glfwWindowShouldClose(window_) != GLFW_TRUE) return false;
    glfwSetWindowShouldClose(window_, GLFW_FALSE);
    return true;
  }
  void obey(const WindowOrder& order) override;
  void set_title(const std::string& title) override {
    if (title != title_) glfwSetWindowTitle(window_, title.c_str());
    title_ = title;
  }
  void set_cursor(Cursor cursor) override {
    if (cursor != cursor_) glfwSetCursor(window_, cursors_[static_cast<std::size_t>(cursor)]);
    cursor_ = cursor;
  }
  void set_clipboard(const std::string& text) override {
    glfwSetClipboardString(window_, text.c_str());
  }
  std::string clipboard() override {
    const char* text = glfwGetClipboardString(window_);
    return text != nullptr ? text : "";
  }
  std::optional<present::WindowSystem> window_system() override {
    std::uint32_t count = 0;
    const char** names = glfwGetRequiredInstanceExtensions(&count);
    present::WindowSystem system;
    system.instance_extensions.assign(names, names + count);
    system.make_surface = [this](VkInstance instance) {
      VkSurfaceKHR surface = VK_NULL_HANDLE;
      present::check(glfwCreateWindowSurface(instance, window_, nullptr, &surface),
                     "make the window's surface", "display");
      return surface;
    };
    return system;
  }

 private:
  /// Minimum size for the panels, in the window system's units, which may be pixels.
  void limit_size() {
    int width = 1, framebuffer_width = 1, ignored = 1;
    glfwGetWindowSize(window_, &width, &ignored);
    glfwGetFramebufferSize(window_, &framebuffer_width, &ignored);
    const float units =
        scale() * static_cast<float>(width) / static_cast<float>(std::max(1, framebuffer_width));
    glfwSetWindowSizeLimits(window_, static_cast<int>(480 * units), static_cast<int>(320 * units),
                            GLFW_DONT_CARE, GLFW_DONT_CARE);
  }
  static GlfwHost& of(GLFWwindow* window) {
    return *static_cast<GlfwHost*>(glfwGetWindowUserPointer(window));
  }
  static InputEvent::Kind button_kind(int action) {
    return action == GLFW_PRESS ? InputEvent::Kind::button_press : InputEvent::Kind::button_release;
  }
  void set_callbacks();
  void add(InputEvent event) { events_.push_back(std::move(event)); }
  void add_key(int glfw_key, int action);
  void add_text(unsigned codepoint);
  bool is_hidden() const { return put_away_ || iconified_; }
  void ask_size() { glfwGetFramebufferSize(window_, &size_[0], &size_[1]); }
  void toggle_full_screen();

  Glfw glfw_;
  GLFWwindow* window_ = nullptr;
  std::array<GLFWcursor*, 6> cursors_{};
  Cursor cursor_ = Cursor::arrow;
  std::string title_;
  std::vector<InputEvent> events_;
  // Cached, since each query is a round trip to the display server.
  std::array<int, 2> size_{};  // of the framebuffer, px
  bool iconified_ = false;
  bool put_away_ = false;                  // by a request
  std::array<int, 4> before_full_screen_;  // position and size
};

void GlfwHost::add_key(int glfw_key, int action) {
  const std::optional<Key> key = key_of_glfw(glfw_key);
  if (!key.has_value() || action == GLFW_REPEAT) return;  // ImGui generates repeats itself
  add({.kind = action == GLFW_PRESS ? InputEvent::Kind::key_press : InputEvent::Kind::key_release,
       .key = *key});
}

void GlfwHost::add_text(unsigned codepoint) {
  const auto byte = [](unsigned bits) { return static_cast<char>(bits); };
  std::string text;
  if (codepoint < 0x80) {
    text = {byte(codepoint)};
  } else if (codepoint < 0x800) {
    text = {byte(0xC0 | codepoint >> 6), byte(0x80 | (codepoint & 0x3F))};
  } else if (codepoint < 0x10000) {
    text = {byte(0xE0 | codepoint >> 12), byte(0x80 | (codepoint >> 6 & 0x3F)),
            byte(0x80 | (codepoint & 0x3F))};
  } else {
    text = {byte(0xF0 | codepoint >> 18), byte(0x80 | (codepoint >> 12 & 0x3F)),
            byte(0x80 | (codepoint >> 6 & 0x3F)), byte(0x80 | (codepoint & 0x3F))};
  }
  add({.kind = InputEvent::Kind::text, .text = std::move(text)});
}

void GlfwHost::set_callbacks() {
  glfwSetFramebufferSizeCallback(window_, [](GLFWwindow* window, int width, int height) {
    of(window).size_ = {width, height};
  });
  glfwSetWindowIconifyCallback(window_, [](GLFWwindow* window, int iconified) {
    of(window).iconified_ = iconified == GLFW_TRUE;
  });
  glfwSetCursorPosCallback(window_, [](GLFWwindow* window, double x, double y) {
    int width = 1, height = 1, framebuffer_width = 1, framebuffer_height = 1;
    glfwGetWindowSize(window, &width, &height);
    glfwGetFramebufferSize(window, &framebuffer_width, &framebuffer_height);
    of(window).add({.kind = InputEvent::Kind::pointer_move,
                    .x = x * framebuffer_width / std::max(1, width),
                    .y = y * framebuffer_height / std::max(1, height)});
  });
  glfwSetMouseButtonCallback(window_, [](GLFWwindow* window, int button, int action, int) {
    if (button > GLFW_MOUSE_BUTTON_MIDDLE) return;
    of(window).add({.kind = button_kind(action), .button = static_cast<PointerButton>(button)});
  });
  glfwSetScrollCallback(window_, [](GLFWwindow* window, double x, double y) {
    of(window).add({.kind = InputEvent::Kind::scroll, .x = x, .y = y});
  });
  glfwSetKeyCallback(window_, [](GLFWwindow* window, int key, int, int action, int) {
    of(window).add_key(key, action);
  });
  glfwSetCharCallback(
      window_, [](GLFWwindow* window, unsigned codepoint) { of(window).add_text(codepoint); });
  glfwSetDropCallback(window_, [](GLFWwindow* window, int count, const char** paths) {
    InputEvent event{.kind = InputEvent::Kind::drop};
    event.paths.assign(paths, paths + count);
    of(window).add(std::move(event));
  });
  // A key released in another window is not reported.
  glfwSetWindowFocusCallback(window_, [](GLFWwindow* window, int focused) {
    if (focused == GLFW_TRUE) return;
    for (std::size_t key = 0; key < key_names().size(); ++key) {
      of(window).add({.kind = InputEvent::Kind::key_release, .key = static_cast<Key>(key)});
    }
  });
}

void GlfwHost::toggle_full_screen() {
  if (glfwGetWindowMonitor(window_) != nullptr) {
    const auto& [x, y, width, height] = before_full_screen_;
    glfwSetWindowMonitor(window_, nullptr, x, y, width, height, GLFW_DONT_CARE);
    return;
  }
  GLFWmonitor* monitor = glfwGetPrimaryMonitor();
  const GLFWvidmode* mode = monitor != nullptr ? glfwGetVideoMode(monitor) : nullptr;
  if (mode == nullptr) return;
  glfwGetWindowPos(window_, &before_full_screen_[0], &before_full_screen_[1]);
  glfwGetWindowSize(window_, &before_full_screen_[2], &before_full_screen_[3]);
  glfwSetWindowMonitor(window_, monitor, 0, 0, mode->width, mode->height, mode->refreshRate);
}

void GlfwHost::obey(const WindowOrder& order) {
  switch (order.kind) {
    case WindowOrder::Kind::resize: {
      int width = 1, framebuffer_width = 1, ignored = 1;
      glfwGetWindowSize(window_, &width, &ignored);
      glfwGetFramebufferSize(window_, &framebuffer_width, &ignored);
      const double points_per_px = static_cast<double>(width) / std::max(1, framebuffer_width);
      glfwSetWindowSize(window_, static_cast<int>(std::lround(order.width * points_per_px)),
                        static_cast<int>(std::lround(order.height * points_per_px)));
      break;
    }
    case WindowOrder::Kind::minimise:
      // Without a window manager nothing else would hide the window.
      put_away_ = true;
      glfwIconifyWindow(window_);
      break;
    case WindowOrder::Kind::restore:
      put_away_ = false;
      glfwRestoreWindow(window_);
      break;
    case WindowOrder::Kind::full_screen:
      toggle_full_screen();
      break;
  }
  ask_size();
}

}  // namespace

std::unique_ptr<Host> open_window(int width, int height) {
  return std::make_unique<GlfwHost>(width, height);
}

bool has_display() {
  const auto is_set = [](const char* name) {
    const char* value = std::getenv(name);
    return value != nullptr && value[0] != '\0';
  };
  return is_set("DISPLAY") || is_set("WAYLAND_DISPLAY");
}

}  // namespace mote::gui
