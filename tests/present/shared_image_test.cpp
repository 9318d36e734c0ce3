// Memory and semaphores exported by one Vulkan device and imported by another, as another API would
// do.
#include "present/shared_image.h"

#include <sys/stat.h>
#include <unistd.h>

#include "present/handle.h"
#include "present/memory.h"
#include "present/one_shot.h"
#include "support/present_fixture.h"

namespace mote {
namespace {

using namespace present;

constexpr std::size_t kBytes = 4096;

class SharedImages : public PresentTest {};

/// A buffer of `device` on imported memory.
struct Imported {
  Memory memory;
  BufferHandle buffer;

  Imported(const Device& device, FileDescriptor from, std::size_t allocated_bytes) {
    auto external = structure<VkExternalMemoryBufferCreateInfo>(
        VK_STRUCTURE_TYPE_EXTERNAL_MEMORY_BUFFER_CREATE_INFO);
    external.handleTypes = VK_EXTERNAL_MEMORY_HANDLE_TYPE_OPAQUE_FD_BIT;
    auto info = structure<VkBufferCreateInfo>(VK_STRUCTURE_TYPE_BUFFER_CREATE_INFO, &external);
    info.size = kBytes;
    info.usage = VK_BUFFER_USAGE_TRANSFER_DST_BIT;
    VkBuffer made = VK_NULL_HANDLE;
    device.check(vkCreateBuffer(device.handle(), &info, nullptr, &made), "make a buffer");
    buffer = {device.handle(), made};
    VkMemoryRequirements needs;
    vkGetBufferMemoryRequirements(device.handle(), made, &needs);
    auto import = structure<VkImportMemoryFdInfoKHR>(VK_STRUCTURE_TYPE_IMPORT_MEMORY_FD_INFO_KHR);
    import.handleType = VK_EXTERNAL_MEMORY_HANDLE_TYPE_OPAQUE_FD_BIT;
    import.fd = from.get();
    auto allocation =
        structure<VkMemoryAllocateInfo>(VK_STRUCTURE_TYPE_MEMORY_ALLOCATE_INFO, &import);
    allocation.allocationSize = allocated_bytes;
    allocation.memoryTypeIndex =
        device.memory_type(needs.memoryTypeBits, VK_MEMORY_PROPERTY_DEVICE_LOCAL_BIT).value();
    VkDeviceMemory taken = VK_NULL_HANDLE;
    device.check(vkAllocateMemory(device.handle(), &allocation, nullptr, &taken), "import memory");
    from.release();
    memory = {device.handle(), taken};
    device.check(vkBindBufferMemory(device.handle(), made, taken, 0), "bind memory");
  }
};

bool exports_memory(const Device& device) {
  try {
    const SharedBuffer trial(device, kBytes, "trial");
    return true;
  } catch (const Error& error) {
    EXPECT_FALSE(error.remedy().empty());
    return false;
  }
}

TEST_F(SharedImages, ShowTheWritesOfTheOtherSide) {
  if (!exports_memory(presenter_->device())) GTEST_SKIP() << "this device exports no memory";
  const Presenter other(PresenterOptions{.validation = true});
  ASSERT_EQ(other.gpu().uuid, presenter_->gpu().uuid);
  const SharedBuffer shared(presenter_->device(), kBytes, "shared");
  EXPECT_GE(shared.allocated_bytes(), kBytes);
  const Imported imported(other.device(), shared.export_memory(), shared.allocated_bytes());
  run_once(other.device(), [&](VkCommandBuffer commands) {
    vkCmdFillBuffer(commands, imported.buffer.get(), 0, kBytes, 0x12345678u);
  });
  const MappedBuffer seen(presenter_->device(), kBytes, VK_BUFFER_USAGE_TRANSFER_DST_BIT, "seen");
  run_once(presenter_->device(), [&](VkCommandBuffer commands) {
    const VkBufferCopy all{0, 0, kBytes};
    vkCmdCopyBuffer(commands, shared.get(), seen.get(), 1, &all);
  });
  const auto* words = reinterpret_cast<const std::uint32_t*>(seen.data());
  EXPECT_EQ(words[0], 0x12345678u);
  EXPECT_EQ(words[kBytes / 4 - 1], 0x12345678u);
  EXPECT_EQ(other.validation().count(), 0);
}

TEST_F(SharedImages, TimelinesAreExportedOrRefusedWithARemedy) {
  try {
    const SharedTimeline timeline(presenter_->device());
    const FileDescriptor descriptor = timeline.export_semaphore();
    EXPECT_GE(descriptor.get(), 0);
  } catch (const Error& error) {
    EXPECT_FALSE(error.remedy().empty());
    GTEST_SKIP() << error.what();
  }
}

TEST(FileDescriptors, AreClosedWithTheirOwnerUnlessReleased) {
  int pipe[2];
  ASSERT_EQ(::pipe(pipe), 0);
  struct stat state;
  {
    FileDescriptor closed(pipe[0]), left(pipe[1]);
    const FileDescriptor moved(std::move(closed));
    EXPECT_EQ(moved.get(), pipe[0]);
    EXPECT_EQ(left.release(), pipe[1]);
  }
  EXPECT_NE(::fstat(pipe[0], &state), 0);
  EXPECT_EQ(::fstat(pipe[1], &state), 0);
  ::close(pipe[1]);
}

}  // namespace
}  // namespace mote
