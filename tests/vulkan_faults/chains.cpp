#include "chains.h"

#include <utility>

namespace vulkan_faults {

void Chains::add(const void* object, NextLayer next, std::span<const std::string_view> names) {
  Chain chain{.next = std::move(next)};
  for (const std::string_view name : names) {
    std::string text(name);
    chain.known[text] = chain.next(text.c_str());
  }
  const std::lock_guard lock(mutex_);
  chains_[key_of(object)] = std::move(chain);
}

void Chains::remove(void* key) {
  const std::lock_guard lock(mutex_);
  chains_.erase(key);
}

PFN_vkVoidFunction Chains::next(const void* object, const char* name) const {
  NextLayer found;
  {
    const std::lock_guard lock(mutex_);
    const Chain& chain = chains_.at(key_of(object));
    const auto known = chain.known.find(std::string_view(name));
    if (known != chain.known.end()) return known->second;
    found = chain.next;
  }
  return found(name);
}

void Chains::lose(const void* object) {
  const std::lock_guard lock(mutex_);
  chains_.at(key_of(object)).is_lost = true;
}

bool Chains::is_lost(const void* object) const {
  const std::lock_guard lock(mutex_);
  return chains_.at(key_of(object)).is_lost;
}

Chains& chains() {
  static Chains the_chains;
  return the_chains;
}

}  // namespace vulkan_faults
