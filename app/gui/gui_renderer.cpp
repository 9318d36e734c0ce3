#include "app/gui/gui_renderer.h"

#include <backends/imgui_impl_vulkan.h>
#include <imgui.h>

#include <algorithm>

#include "present/handle.h"
#include "present/one_shot.h"
#include "present/vulkan_error.h"

namespace mote::gui {
namespace {

present::DescriptorPool make_pool(const present::Device& device) {
  const VkDescriptorPoolSize size{VK_DESCRIPTOR_TYPE_COMBINED_IMAGE_SAMPLER, 1};
  auto info =
      present::structure<VkDescriptorPoolCreateInfo>(VK_STRUCTURE_TYPE_DESCRIPTOR_POOL_CREATE_INFO);
  info.maxSets = 1;
  info.poolSizeCount = 1;
  info.pPoolSizes = &size;
  VkDescriptorPool pool = VK_NULL_HANDLE;
  device.check(vkCreateDescriptorPool(device.handle(), &info, nullptr, &pool),
               "allocate memory for the panels' font");
  return {device.handle(), pool};
}

void check_call(VkResult result) {
  present::check(result, "draw the panels", "Vulkan");
}

/// Creates ImGui's buffers larger than the panels need, one per frame. ImGui enlarges small
/// buffers, but frees the old ones twice if that allocation fails.
void make_buffers(VkCommandBuffer commands, std::uint32_t buffers) {
  constexpr int kVertices = 50'000, kIndices = 100'000;
  ImDrawData largest;
  largest.Valid = true;
  largest.TotalVtxCount = kVertices;
  largest.TotalIdxCount = kIndices;
  largest.DisplaySize = largest.FramebufferScale = {1, 1};
  for (std::uint32_t i = 0; i < buffers; ++i) ImGui_ImplVulkan_RenderDrawData(&largest, commands);
}

}  // namespace

GuiRenderer::GuiRenderer(const present::Presenter& presenter)
    : device_(presenter.device()), pool_(make_pool(device_)) {
  const present::GuiContext context = presenter.gui_context();
  ImGui_ImplVulkan_InitInfo info{};
  info.Instance = context.instance;
  info.PhysicalDevice = context.gpu;
  info.Device = context.device;
  info.QueueFamily = context.queue_family;
  info.Queue = context.queue;
  info.PipelineCache = device_.pipeline_cache();
  info.DescriptorPool = pool_.get();
  info.MinImageCount = 2;
  // Buffers for writing while frames in flight read theirs; two layers each.
  info.ImageCount = 2 * (std::max(2u, context.frames_in_flight) + 1);
  info.MSAASamples = VK_SAMPLE_COUNT_1_BIT;
  info.CheckVkResultFn = check_call;
  try {
    ImGui_ImplVulkan_Init(&info, context.render_pass);
    present::run_once(device_, [&info](VkCommandBuffer commands) {
      ImGui_ImplVulkan_CreateFontsTexture(commands);
      make_buffers(commands, info.ImageCount);
    });
    ImGui_ImplVulkan_DestroyFontUploadObjects();
  } catch (...) {
    ImGui_ImplVulkan_Shutdown();  // required before another initialisation
    throw;
  }
}

GuiRenderer::~GuiRenderer() {
  vkDeviceWaitIdle(device_.handle());  // returns at once for a lost device
  ImGui_ImplVulkan_Shutdown();
}

void GuiRenderer::record(ImDrawData& layer, VkCommandBuffer commands) const {
  ImGui_ImplVulkan_RenderDrawData(&layer, commands);
}

}  // namespace mote::gui
