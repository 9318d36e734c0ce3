#pragma once

#include <functional>

#include "present/device.h"
#include "present/handle.h"

namespace mote::present {

CommandPool make_command_pool(const Device& device);
VkCommandBuffer make_command_buffer(const Device& device, const CommandPool& pool);

/// Begins a command buffer that is submitted once.
void begin_commands(const Device& device, VkCommandBuffer commands);

/// Executes the commands that `record` records and waits for them. Throws DeviceLost, Error.
void run_once(const Device& device, const std::function<void(VkCommandBuffer)>& record);

}  // namespace mote::present
