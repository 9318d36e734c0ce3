#include "present/instance.h"

#include <fmt/format.h>

#include <algorithm>

#include "core/log.h"
#include "present/handle.h"
#include "present/vulkan_error.h"

namespace mote::present {
namespace {

constexpr const char* kVulkan = "Vulkan";
constexpr const char* kValidationLayer = "VK_LAYER_KHRONOS_validation";
constexpr std::size_t kMaxTexts = 20;

VKAPI_ATTR VkBool32 VKAPI_CALL on_message(VkDebugUtilsMessageSeverityFlagBitsEXT,
                                          VkDebugUtilsMessageTypeFlagsEXT,
                                          const VkDebugUtilsMessengerCallbackDataEXT* data,
                                          void* user) {
  static_cast<ValidationLog*>(user)->add(data->pMessage);
  return VK_FALSE;  // the call continues as without validation
}

VkDebugUtilsMessengerCreateInfoEXT messenger_info(ValidationLog& log) {
  auto info = structure<VkDebugUtilsMessengerCreateInfoEXT>(
      VK_STRUCTURE_TYPE_DEBUG_UTILS_MESSENGER_CREATE_INFO_EXT);
  info.messageSeverity = VK_DEBUG_UTILS_MESSAGE_SEVERITY_WARNING_BIT_EXT |
                         VK_DEBUG_UTILS_MESSAGE_SEVERITY_ERROR_BIT_EXT;
  // Not GENERAL: the loader reports there each driver that it could not open.
  info.messageType = VK_DEBUG_UTILS_MESSAGE_TYPE_VALIDATION_BIT_EXT |
                     VK_DEBUG_UTILS_MESSAGE_TYPE_PERFORMANCE_BIT_EXT;
  info.pfnUserCallback = on_message;
  info.pUserData = &log;
  return info;
}

bool has_layer(const char* name) {
  std::uint32_t count = 0;
  check(vkEnumerateInstanceLayerProperties(&count, nullptr), "list layers", kVulkan);
  std::vector<VkLayerProperties> layers(count);
  check(vkEnumerateInstanceLayerProperties(&count, layers.data()), "list layers", kVulkan);
  return std::any_of(layers.begin(), layers.end(), [&](const VkLayerProperties& layer) {
    return std::string_view(layer.layerName) == name;
  });
}

bool has_extension(std::string_view name) {
  std::uint32_t count = 0;
  check(vkEnumerateInstanceExtensionProperties(nullptr, &count, nullptr), "list extensions",
        kVulkan);
  std::vector<VkExtensionProperties> extensions(count);
  check(vkEnumerateInstanceExtensionProperties(nullptr, &count, extensions.data()),
        "list extensions", kVulkan);
  return std::any_of(
      extensions.begin(), extensions.end(),
      [&](const VkExtensionProperties& extension) { return extension.extensionName == name; });
}

void check_loader_version() {
  std::uint32_t version = 0;
  check(vkEnumerateInstanceVersion(&version), "query the version", kVulkan);
  if (version < VK_API_VERSION_1_3) {
    throw Error(fmt::format("expected version 1.3 or newer, found {}.{}",
                            VK_API_VERSION_MAJOR(version), VK_API_VERSION_MINOR(version)),
                kVulkan, "update the package libvulkan1");
  }
}

std::vector<const char*> pointers(const std::vector<std::string>& texts) {
  std::vector<const char*> result;
  for (const std::string& text : texts) result.push_back(text.c_str());
  return result;
}

VkInstance make_instance(const InstanceOptions& options, bool with_names, ValidationLog& log) {
  std::vector<const char*> extensions = pointers(options.extensions);
  if (with_names) extensions.push_back(VK_EXT_DEBUG_UTILS_EXTENSION_NAME);
  auto application = structure<VkApplicationInfo>(VK_STRUCTURE_TYPE_APPLICATION_INFO);
  application.pApplicationName = "Mote";
  application.apiVersion = VK_API_VERSION_1_3;
  const VkDebugUtilsMessengerCreateInfoEXT messages = messenger_info(log);
  auto info = structure<VkInstanceCreateInfo>(VK_STRUCTURE_TYPE_INSTANCE_CREATE_INFO);
  info.pApplicationInfo = &application;
  info.enabledExtensionCount = static_cast<std::uint32_t>(extensions.size());
  info.ppEnabledExtensionNames = extensions.data();
  if (options.validation) {
    info.pNext = &messages;  // for messages before the messenger is made and after it is destroyed
    info.enabledLayerCount = 1;
    info.ppEnabledLayerNames = &kValidationLayer;
  }
  VkInstance instance = VK_NULL_HANDLE;
  const VkResult result = vkCreateInstance(&info, nullptr, &instance);
  if (result == VK_ERROR_EXTENSION_NOT_PRESENT) {
    throw Error("no driver can show windows of this display", kVulkan,
                "install the graphics card's driver with its display part, or work without a "
                "window: --offscreen");
  }
  check(result, "find a driver", kVulkan);
  return instance;
}

}  // namespace

void ValidationLog::add(std::string text) {
  ++count_;
  log_line(LogLevel::error, fmt::format("Vulkan validation: {}", text));
  const std::lock_guard lock(mutex_);
  if (texts_.size() < kMaxTexts) texts_.push_back(std::move(text));
}

std::vector<std::string> ValidationLog::texts() const {
  const std::lock_guard lock(mutex_);
  return texts_;
}

Instance::Instance(const InstanceOptions& options)
    : validation_(options.log != nullptr ? options.log : std::make_shared<ValidationLog>()) {
  check_loader_version();
  if (options.validation && !has_layer(kValidationLayer)) {
    check(VK_ERROR_LAYER_NOT_PRESENT, "watch the calls", kVulkan);
  }
  has_names_ = options.validation && has_extension(VK_EXT_DEBUG_UTILS_EXTENSION_NAME);
  instance_ = make_instance(options, has_names_, *validation_);
  if (!has_names_) return;
  const auto make_messenger = reinterpret_cast<PFN_vkCreateDebugUtilsMessengerEXT>(
      vkGetInstanceProcAddr(instance_, "vkCreateDebugUtilsMessengerEXT"));
  const VkDebugUtilsMessengerCreateInfoEXT info = messenger_info(*validation_);
  const VkResult result = make_messenger(instance_, &info, nullptr, &messenger_);
  if (result != VK_SUCCESS) {
    vkDestroyInstance(instance_, nullptr);
    check(result, "listen to validation", kVulkan);
  }
}

Instance::~Instance() {
  if (messenger_ != VK_NULL_HANDLE) {
    const auto destroy_messenger = reinterpret_cast<PFN_vkDestroyDebugUtilsMessengerEXT>(
        vkGetInstanceProcAddr(instance_, "vkDestroyDebugUtilsMessengerEXT"));
    destroy_messenger(instance_, messenger_, nullptr);
  }
  vkDestroyInstance(instance_, nullptr);
}

}  // namespace mote::present
