#include "present/surface.h"

#include <utility>

namespace mote::present {

Surface::Surface(VkInstance instance, WindowSystem window)
    : instance_(instance), window_(std::move(window)), surface_(window_.make_surface(instance)) {}

Surface::~Surface() {
  vkDestroySurfaceKHR(instance_, surface_, nullptr);
}

void Surface::make_anew() {
  vkDestroySurfaceKHR(instance_, surface_, nullptr);
  surface_ = VK_NULL_HANDLE;
  surface_ = window_.make_surface(instance_);
}

}  // namespace mote::present
