// The table of backends, and the choice by --device.
#include <charconv>
#include <optional>
#include <utility>

#include "backend/backend.h"
#include "core/log.h"
#include "core/options.h"
#include "cpu/cpu_backend.h"
#include "devices/cuda_entry.h"
#include "devices/devices.h"
#include "devices/self_check.h"

namespace mote {
namespace {

// MOTE_CUDA_DEVICE is "cuda", or another name if the kernels do not run on a GPU.
constexpr BackendEntry kBackends[] = {
    {MOTE_CUDA_DEVICE, true, probe_cuda, make_cuda_backend, list_cuda_devices},
    {"cpu", false, probe_cpu, make_cpu_backend, nullptr},
};

std::string names(std::span<const BackendEntry> kinds) {
  std::string text = "auto";
  for (const BackendEntry& entry : kinds) text += ", " + std::string(entry.name);
  return text;
}

/// The index after "NAME:". Throws UsageError if it is invalid.
int parse_index(std::string_view text, std::string_view device) {
  int index = -1;
  const auto [end, fault] = std::from_chars(text.data(), text.data() + text.size(), index);
  if (fault != std::errc() || end != text.data() + text.size() || index < 0) {
    throw UsageError("'" + std::string(text) + "' is not a device number",
                     "--device " + std::string(device),
                     "give NAME, or NAME and an index, such as NAME:0");
  }
  return index;
}

/// The kind of a device that is not "auto". Sets the index if the device has one. Throws UsageError
/// if it is not known.
const BackendEntry& named_kind(std::span<const BackendEntry> kinds, std::string_view device,
                               std::optional<int>& index) {
  const std::size_t colon = device.find(':');
  const std::string_view name = device.substr(0, colon);
  if (colon != std::string_view::npos) index = parse_index(device.substr(colon + 1), device);
  for (const BackendEntry& entry : kinds) {
    if (name == entry.name) return entry;
  }
  throw UsageError("is not known", "--device " + std::string(device),
                   "use one of: " + names(kinds));
}

/// The backend of the kind, or null if `auto` rejects it; `obstacle` then gives the reason.
std::unique_ptr<Backend> make_for_auto(const BackendEntry& entry, const DeviceOptions& options,
                                       std::string& obstacle) {
  const BackendProbe probe = entry.probe();
  obstacle = probe.usable ? "" : probe.detail;
  if (!probe.usable) return nullptr;
  try {
    std::unique_ptr<Backend> backend = entry.make(options);
    if (entry.checked) obstacle = self_check(*backend);
    return obstacle.empty() ? std::move(backend) : nullptr;
  } catch (const UsageError&) {
    throw;
  } catch (const Error& error) {
    obstacle = error.problem() + "; " + error.remedy();
    return nullptr;
  }
}

std::unique_ptr<Backend> make_fastest(std::span<const BackendEntry> kinds,
                                      const DeviceOptions& options) {
  std::string others, obstacle;
  bool choice = false;  // whether there is more than one device
  for (const BackendEntry& entry : kinds) {
    if (auto backend = make_for_auto(entry, options, obstacle)) {
      choice = choice || &entry != &kinds.back();
      const std::string taken = fmt::format("--device auto takes {}{}", entry.name, others);
      // With a single device, the choice is not worth a message.
      choice ? log_info("{}", taken) : log_detail("{}", taken);
      return backend;
    }
    choice = choice || (entry.list != nullptr && !entry.list().empty());
    others += fmt::format(", not {}: {}", entry.name, obstacle);
  }
  throw Error("finds no usable device" + others, "--device auto", "see `mote devices`");
}

}  // namespace

std::span<const BackendEntry> backends() {
  return kBackends;
}

std::vector<BuiltBackend> built_backends() {
  std::vector<BuiltBackend> built;
  for (const BackendEntry& entry : kBackends) {
    const bool is_cuda = entry.probe == probe_cuda;
    const std::string_view architectures = is_cuda ? cuda_architectures() : "";
    if (!is_cuda || !architectures.empty()) built.push_back({entry.name, architectures});
  }
  return built;
}

std::unique_ptr<Backend> make_backend(std::string_view device, DeviceOptions options) {
  return make_backend(kBackends, device, std::move(options));
}

std::unique_ptr<Backend> make_backend(std::span<const BackendEntry> kinds, std::string_view device,
                                      DeviceOptions options) {
  if (device == "auto") return make_fastest(kinds, options);
  return named_kind(kinds, device, options.index).make(options);
}

void check_device(std::string_view device) {
  std::optional<int> index;
  if (device != "auto") named_kind(kBackends, device, index);
}

}  // namespace mote
