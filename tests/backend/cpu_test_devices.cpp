// The CPU at each instruction set that this machine has.
#include "devices/devices.h"
#include "support/test_devices.h"
#include "support/usable_isas.h"

namespace mote {

std::vector<TestDevice> test_devices() {
  std::vector<TestDevice> devices;
  for (const std::string& isa : usable_isa_names()) {
    devices.push_back({"cpu_" + isa, [isa] {
                         return make_backend("cpu", {.threads = 2, .isa = isa, .index = 0});
                       }});
  }
  return devices;
}

}  // namespace mote
