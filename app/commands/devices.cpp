// `mote devices`: this machine, its devices for rendering, and its GPUs for the window.
#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "app/cli/command.h"
#include "backend/backend.h"
#include "core/machine.h"
#include "core/spelling.h"
#include "devices/devices.h"
#include "present/gpu_list.h"
#include "present/instance.h"

namespace mote {
namespace {

using nlohmann::json;

struct FoundDevice {
  const BackendEntry& entry;
  BackendProbe probe;
  std::vector<GpuDescription> gpus;
};

std::vector<FoundDevice> find_devices() {
  std::vector<FoundDevice> found;
  for (const BackendEntry& entry : backends()) {
    found.push_back({entry, entry.probe(),
                     entry.list != nullptr ? entry.list() : std::vector<GpuDescription>{}});
  }
  return found;
}

/// Vulkan GPUs for windows, or the reason why there are none.
struct FoundScreens {
  std::vector<present::GpuInfo> gpus;
  std::string problem;
};

FoundScreens find_screens() {
  try {
    const present::Instance instance({});
    return {present::list_gpus(instance.handle(), VK_NULL_HANDLE), ""};
  } catch (const Error& error) {
    return {{}, error.what()};
  }
}

json screens_json() {
  const FoundScreens found = find_screens();
  json gpus = json::array();
  for (const present::GpuInfo& gpu : found.gpus) {
    gpus.push_back({{"index", gpu.index},
                    {"name", gpu.name},
                    {"type", present::type_name(gpu.type)},
                    {"driver", gpu.driver},
                    {"memory_bytes", gpu.memory_bytes},
                    {"problem", gpu.problem}});
  }
  return {{"gpus", std::move(gpus)}, {"problem", found.problem}};
}

void print_screens() {
  const FoundScreens found = find_screens();
  fmt::print("window   {}\n", !found.problem.empty() ? "not usable: " + found.problem
                              : found.gpus.empty()   ? "not usable: no Vulkan device"
                                                     : "through Vulkan, on one of --gpu");
  for (const present::GpuInfo& gpu : found.gpus) {
    fmt::print("  {}  {}, {}, {}, {} memory\n", gpu.index, gpu.name, present::type_name(gpu.type),
               gpu.driver, bytes_text(gpu.memory_bytes));
    if (!gpu.problem.empty()) fmt::print("     not usable: {}\n", gpu.problem);
  }
}

std::string compute_capability(const GpuDescription& gpu) {
  return fmt::format("{}.{}", gpu.compute_major, gpu.compute_minor);
}

void print_gpu(std::string_view kind, const GpuDescription& gpu) {
  fmt::print(
      "  {}:{}  {}, compute capability {}, {} SMs, {} memory ({} free), driver for CUDA {}\n", kind,
      gpu.index, gpu.name, compute_capability(gpu), gpu.multiprocessors,
      bytes_text(gpu.memory_bytes), bytes_text(gpu.free_bytes), gpu.driver);
  if (!gpu.problem.empty()) fmt::print("          not usable: {}; {}\n", gpu.problem, gpu.remedy);
}

json gpu_json(const GpuDescription& gpu) {
  return {{"index", gpu.index},
          {"name", gpu.name},
          {"compute_capability", compute_capability(gpu)},
          {"multiprocessors", gpu.multiprocessors},
          {"memory_bytes", gpu.memory_bytes},
          {"free_bytes", gpu.free_bytes},
          {"driver_cuda", gpu.driver},
          {"problem", gpu.problem},
          {"remedy", gpu.remedy}};
}

void print_json(const Machine& machine) {
  json devices = json::array();
  for (const FoundDevice& device : find_devices()) {
    json entry{{"name", device.entry.name},
               {"usable", device.probe.usable},
               {"detail", device.probe.detail}};
    if (device.entry.list != nullptr) {
      entry["gpus"] = json::array();
      for (const GpuDescription& gpu : device.gpus) entry["gpus"].push_back(gpu_json(gpu));
    }
    devices.push_back(std::move(entry));
  }
  const json result{{"machine",
                     {{"cpu", machine.cpu_model},
                      {"usable_cpus", machine.usable_cpus},
                      {"memory_bytes", machine.memory_bytes},
                      {"available_bytes", machine.available_bytes}}},
                    {"devices", devices},
                    {"window", screens_json()}};
  fmt::print("{}\n", result.dump(2, ' ', false, json::error_handler_t::replace));
}

void print_text(const Machine& machine) {
  fmt::print("machine  {}, {}, {} memory ({} available)\n", machine.cpu_model,
             number_of(static_cast<std::uint64_t>(machine.usable_cpus), "usable CPU"),
             bytes_text(machine.memory_bytes), bytes_text(machine.available_bytes));
  std::string_view automatic = "none";
  for (const FoundDevice& device : find_devices()) {
    const BackendProbe& probe = device.probe;
    fmt::print("{:<8} {}{}\n", device.entry.name, probe.usable ? "" : "not usable: ", probe.detail);
    for (const GpuDescription& gpu : device.gpus) print_gpu(device.entry.name, gpu);
    if (probe.usable && automatic == "none") automatic = device.entry.name;
  }
  print_screens();
  fmt::print("\n--device auto takes {}, the fastest working device\n", automatic);
}

class Devices : public Command {
 public:
  void describe(OptionTable&) override {}

  void run(const GlobalOptions& globals) override {
    const Machine machine = this_machine();
    globals.json ? print_json(machine) : print_text(machine);
  }
};

}  // namespace

extern const CommandEntry kDevicesCommand{"devices", "list the devices that Mote can use", "",
                                          make_command<Devices>};

}  // namespace mote
