#include "present/pipeline_cache.h"

#include <fmt/format.h>

#include <array>
#include <cstring>
#include <exception>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "core/error.h"
#include "core/file.h"
#include "core/fingerprint.h"
#include "core/log.h"
#include "present/handle.h"

namespace mote::present {
namespace {

namespace fs = std::filesystem;

constexpr std::uint64_t kMaxBytes = 256 << 20;

/// The start of the file. Drivers check their data, but not all of them reliably.
struct Head {
  std::array<char, 8> magic{'M', 'o', 't', 'e', 'P', 'i', 'p', '1'};
  std::uint32_t vendor = 0, device = 0, driver_version = 0, api_version = 0;
  std::array<std::uint8_t, VK_UUID_SIZE> uuid{};  // identifies the driver's format
  std::uint64_t bytes = 0, fingerprint = 0;       // size and fingerprint of the data that follow
};

std::uint64_t fingerprint_of(std::span<const std::byte> bytes) {
  Fingerprint fingerprint;
  fingerprint.add_bytes(bytes);
  return fingerprint.value();
}

/// The header of this device and driver, without data.
Head head_of(const Device& device) {
  VkPhysicalDeviceProperties properties;
  vkGetPhysicalDeviceProperties(device.gpu().handle, &properties);
  Head head;
  head.vendor = properties.vendorID;
  head.device = properties.deviceID;
  head.driver_version = properties.driverVersion;
  head.api_version = properties.apiVersion;
  std::memcpy(head.uuid.data(), properties.pipelineCacheUUID, head.uuid.size());
  return head;
}

fs::path file_of(const Device& device, const fs::path& folder) {
  if (folder.empty()) return {};
  const Head head = head_of(device);
  return folder /
         fmt::format("pipelines_{:016x}.bin", fingerprint_of(std::as_bytes(std::span(&head, 1))));
}

/// The data of a valid file of this driver; empty for any other file.
std::optional<std::vector<std::byte>> data_of(const Device& device, const fs::path& path) {
  std::error_code ignored;
  if (path.empty() || !fs::exists(path, ignored)) return {};
  const InputFile file(path);
  Head head;
  const Head wanted = head_of(device);
  if (file.size() < sizeof(head) || file.size() > kMaxBytes) return {};
  file.read_exact(0, std::as_writable_bytes(std::span(&head, 1)));
  const bool is_ours = head.magic == wanted.magic && head.vendor == wanted.vendor &&
                       head.device == wanted.device &&
                       head.driver_version == wanted.driver_version &&
                       head.api_version == wanted.api_version && head.uuid == wanted.uuid;
  if (!is_ours || head.bytes != file.size() - sizeof(head)) return {};
  std::vector<std::byte> data(head.bytes);
  file.read_exact(sizeof(head), data);
  if (fingerprint_of(data) != head.fingerprint) return {};
  return data;
}

}  // namespace

PipelineCache::PipelineCache(const Device& device, const fs::path& folder)
    : device_(device), file_(file_of(device, folder)) {
  std::optional<std::vector<std::byte>> data;
  try {
    data = data_of(device, file_);
  } catch (const Error& error) {
    log_detail("{}", error.what());
  }
  auto info = structure<VkPipelineCacheCreateInfo>(VK_STRUCTURE_TYPE_PIPELINE_CACHE_CREATE_INFO);
  was_there_ = data.has_value();
  if (was_there_) {
    kept_ = fingerprint_of(*data);
    info.initialDataSize = data->size();
    info.pInitialData = data->data();
  }
  VkPipelineCache cache = VK_NULL_HANDLE;
  device.check(vkCreatePipelineCache(device.handle(), &info, nullptr, &cache),
               "make a pipeline cache");
  cache_ = {device.handle(), cache};
}

void PipelineCache::save() {
  if (file_.empty()) return;
  try {
    write();
  } catch (const std::exception& error) {  // the pipelines exist in any case
    log_detail("{}; the next start compiles the display's pipelines again", error.what());
  }
}

void PipelineCache::write() {
  std::size_t bytes = 0;
  std::vector<std::byte> data;
  // If the cache grows between the two calls, the next save() includes it.
  if (vkGetPipelineCacheData(device_.handle(), get(), &bytes, nullptr) != VK_SUCCESS) return;
  data.resize(bytes);
  if (vkGetPipelineCacheData(device_.handle(), get(), &bytes, data.data()) != VK_SUCCESS) return;
  data.resize(bytes);
  Head head = head_of(device_);
  head.bytes = bytes;
  head.fingerprint = fingerprint_of(data);
  if (was_there_ && head.fingerprint == kept_) return;
  make_folders(file_.parent_path());
  OutputFile file(file_);
  file.write(std::as_bytes(std::span(&head, 1)));
  file.write(data);
  file.commit();
  was_there_ = true;
  kept_ = head.fingerprint;
}

}  // namespace mote::present
