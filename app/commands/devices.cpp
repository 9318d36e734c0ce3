// `mote devices`: this machine, and what Mote can render on here.
#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "app/command.h"
#include "backend/backend.h"
#include "core/machine.h"

namespace mote {
namespace {

constexpr std::string_view kCudaMissing =
    "not in this version of Mote: it renders on the CPU, NVIDIA GPU or not";

bool knows_cuda() {
  for (const BackendEntry& entry : backends()) {
    if (entry.name == "cuda") return true;
  }
  return false;
}

class Devices : public Command {
 public:
  void describe(OptionTable&) override {}

  void run(const GlobalOptions& globals) override {
    const Machine machine = this_machine();
    if (globals.json) {
      print_json(machine);
      return;
    }
    fmt::print("machine  {}, {} usable CPU{}, {} memory ({} available)\n", machine.cpu_model,
               machine.usable_cpus, machine.usable_cpus == 1 ? "" : "s",
               bytes_text(machine.memory_bytes), bytes_text(machine.available_bytes));
    std::string_view automatic = "none";
    for (const BackendEntry& entry : backends()) {
      const BackendProbe probe = entry.probe();
      fmt::print("{:<8} {}{}\n", entry.name, probe.usable ? "" : "not usable: ", probe.detail);
      if (probe.usable && automatic == "none") automatic = entry.name;
    }
    if (!knows_cuda()) fmt::print("cuda     {}\n", kCudaMissing);
    fmt::print("\n--device auto takes {}, the fastest that works\n", automatic);
  }

 private:
  static void print_json(const Machine& machine) {
    nlohmann::json devices = nlohmann::json::array();
    for (const BackendEntry& entry : backends()) {
      const BackendProbe probe = entry.probe();
      devices.push_back({{"name", entry.name}, {"usable", probe.usable}, {"detail", probe.detail}});
    }
    if (!knows_cuda()) {
      devices.push_back({{"name", "cuda"}, {"usable", false}, {"detail", kCudaMissing}});
    }
    const nlohmann::json result{{"machine",
                                 {{"cpu", machine.cpu_model},
                                  {"usable_cpus", machine.usable_cpus},
                                  {"memory_bytes", machine.memory_bytes},
                                  {"available_bytes", machine.available_bytes}}},
                                {"devices", devices}};
    fmt::print("{}\n", result.dump(2, ' ', false, nlohmann::json::error_handler_t::replace));
  }
};

}  // namespace

extern const CommandEntry kDevicesCommand{"devices", "what Mote can render on here", "",
                                          make_command<Devices>};

}  // namespace mote
