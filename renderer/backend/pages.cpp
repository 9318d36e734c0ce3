// The answer of devices that show no scenes in pages.
#include "backend/backend.h"
#include "core/error.h"

namespace mote {
namespace {

[[noreturn]] void refuse_pages(const std::string& device) {
  throw Error("shows no scenes that are streamed", device, "use --device cpu, or more --memory");
}

}  // namespace

std::unique_ptr<DeviceScene> Backend::make_pages(const SplatForm& /*form*/, std::size_t /*pages*/,
                                                 std::size_t /*splats*/) {
  refuse_pages(description());
}

void Backend::fill_pages(DeviceScene& /*scene*/, const PagesToFill& /*fill*/) {
  refuse_pages(description());
}

void Backend::empty_pages(DeviceScene& /*scene*/, std::span<const std::uint32_t> /*pages*/) {
  refuse_pages(description());
}

}  // namespace mote
