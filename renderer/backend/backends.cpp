#include <charconv>

#include "backend/backend.h"
#include "core/options.h"
#include "cpu/cpu_backend.h"

namespace mote {
namespace {

constexpr BackendEntry kBackends[] = {
    {"cpu", probe_cpu, make_cpu_backend},
};

/// What builds that found more libraries know besides.
constexpr std::string_view kOtherBuilds = "cuda";

std::string names() {
  std::string text = "auto";
  for (const BackendEntry& entry : kBackends) text += ", " + std::string(entry.name);
  return text;
}

/// The number behind "NAME:"; throws UsageError where it is none.
int parse_index(std::string_view text, std::string_view device) {
  int index = -1;
  const auto [end, fault] = std::from_chars(text.data(), text.data() + text.size(), index);
  if (fault != std::errc() || end != text.data() + text.size() || index < 0) {
    throw UsageError("'" + std::string(text) + "' is not a device number",
                     "--device " + std::string(device), "write NAME or NAME:0, NAME:1, ...");
  }
  return index;
}

}  // namespace

std::span<const BackendEntry> backends() {
  return kBackends;
}

std::unique_ptr<Backend> make_backend(std::string_view device, DeviceOptions options) {
  const std::size_t colon = device.find(':');
  const std::string_view name = device.substr(0, colon);
  if (colon != std::string_view::npos) {
    options.index = parse_index(device.substr(colon + 1), device);
  }
  for (const BackendEntry& entry : kBackends) {
    if (name != entry.name && device != "auto") continue;
    const BackendProbe probe = entry.probe();
    if (probe.usable) return entry.make(options);
    if (device != "auto") {
      throw Error("cannot be used: " + probe.detail, "device " + std::string(device),
                  "use another: " + names());
    }
  }
  if (device == "auto" || name == kOtherBuilds) {
    throw Error("is not in this build", "device " + std::string(device), "use one of: " + names());
  }
  throw UsageError("is not known", "--device " + std::string(device), "use one of: " + names());
}

}  // namespace mote
