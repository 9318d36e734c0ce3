#include "plan.h"

#include <algorithm>
#include <cstdlib>
#include <sstream>

namespace vulkan_faults {
namespace {

std::string variable(const char* name) {
  const char* value = std::getenv(name);
  return value != nullptr ? value : "";
}

}  // namespace

void Plan::read() {
  const std::lock_guard lock(mutex_);
  const std::string faults = variable("MOTE_VULKAN_FAULTS"), lacks = variable("MOTE_VULKAN_LACKS");
  if (text_ == faults + '\n' + lacks) return;
  text_ = faults + '\n' + lacks;
  counted_ = std::this_thread::get_id();
  faults_.clear();
  std::istringstream each(faults);
  for (std::string one; std::getline(each, one, ';');) {
    Fault fault;
    int result = 0;
    std::istringstream words(one);
    words >> fault.call >> fault.first >> fault.times >> result;
    fault.result = static_cast<VkResult>(result);
    faults_.push_back(std::move(fault));
  }
  std::istringstream words(lacks);
  lacking_.clear();
  for (std::string word; words >> word;) lacking_.push_back(std::move(word));
}

std::optional<VkResult> Plan::fault_of(std::string_view call) {
  const std::lock_guard lock(mutex_);
  if (std::this_thread::get_id() != counted_) return std::nullopt;
  std::optional<VkResult> result;
  for (Fault& fault : faults_) {
    if (fault.call != call) continue;
    const long number = ++fault.calls;
    if (number >= fault.first && number - fault.first < fault.times) result = fault.result;
  }
  return result;
}

bool Plan::lacks(std::string_view word) const {
  const std::lock_guard lock(mutex_);
  return std::find(lacking_.begin(), lacking_.end(), word) != lacking_.end();
}

Plan& plan() {
  static Plan the_plan;
  return the_plan;
}

}  // namespace vulkan_faults
