#include "present/one_shot.h"

#include "present/handle.h"

namespace mote::present {

CommandPool make_command_pool(const Device& device) {
  auto info = structure<VkCommandPoolCreateInfo>(VK_STRUCTURE_TYPE_COMMAND_POOL_CREATE_INFO);
  info.flags = VK_COMMAND_POOL_CREATE_TRANSIENT_BIT;
  info.queueFamilyIndex = device.gpu().queue_family;
  VkCommandPool pool = VK_NULL_HANDLE;
  device.check(vkCreateCommandPool(device.handle(), &info, nullptr, &pool), "make a command pool");
  return {device.handle(), pool};
}

VkCommandBuffer make_command_buffer(const Device& device, const CommandPool& pool) {
  auto info =
      structure<VkCommandBufferAllocateInfo>(VK_STRUCTURE_TYPE_COMMAND_BUFFER_ALLOCATE_INFO);
  info.commandPool = pool.get();
  info.level = VK_COMMAND_BUFFER_LEVEL_PRIMARY;
  info.commandBufferCount = 1;
  VkCommandBuffer commands = VK_NULL_HANDLE;
  device.check(vkAllocateCommandBuffers(device.handle(), &info, &commands),
               "make a command buffer");
  return commands;
}

void begin_commands(const Device& device, VkCommandBuffer commands) {
  auto info = structure<VkCommandBufferBeginInfo>(VK_STRUCTURE_TYPE_COMMAND_BUFFER_BEGIN_INFO);
  info.flags = VK_COMMAND_BUFFER_USAGE_ONE_TIME_SUBMIT_BIT;
  device.check(vkBeginCommandBuffer(commands, &info), "begin commands");
}

void run_once(const Device& device, const std::function<void(VkCommandBuffer)>& record) {
  const CommandPool pool = make_command_pool(device);
  VkCommandBuffer commands = make_command_buffer(device, pool);
  begin_commands(device, commands);
  record(commands);
  device.check(vkEndCommandBuffer(commands), "end commands");
  auto info = structure<VkSubmitInfo>(VK_STRUCTURE_TYPE_SUBMIT_INFO);
  info.commandBufferCount = 1;
  info.pCommandBuffers = &commands;
  device.check(vkQueueSubmit(device.queue(), 1, &info, VK_NULL_HANDLE), "submit commands");
  device.check(vkQueueWaitIdle(device.queue()), "wait for the device");
}

}  // namespace mote::present
