#pragma once

// The window: shows the viewer's session and passes input to it.

#include <filesystem>
#include <memory>
#include <optional>
#include <string>

#include "app/gui/frame_view.h"
#include "app/gui/frame_watch.h"
#include "app/gui/gui_renderer.h"
#include "app/gui/host.h"
#include "app/gui/imgui_context.h"
#include "app/gui/input.h"
#include "app/gui/picture_store.h"
#include "app/gui/pointer_keys.h"
#include "app/gui/shell.h"
#include "app/viewer/script.h"
#include "app/viewer/viewer.h"
#include "present/presenter.h"

namespace mote::gui {

struct WindowOptions {
  std::string gpu = "auto";  // value of --gpu
  bool validation = false;   // Khronos validation layers; messages are an error at the end
  Script* script = nullptr;  // null: none
  bool ends_with_script = false;
  bool keeps_size = true;                // stores the size in the settings
  bool prepares = true;                  // PresenterOptions::prepares
  std::filesystem::path cache_folder{};  // PresenterOptions::cache_folder
};

/// Only the program's main thread may use it.
class Window {
 public:
  /// Throws Error if Vulkan cannot present to the host, UsageError for an unknown device.
  Window(Viewer& viewer, std::unique_ptr<Host> host, WindowOptions options);
  ~Window();
  Window(const Window&) = delete;
  Window& operator=(const Window&) = delete;

  /// Runs until the user or the script quits and all files are saved. Rethrows the script's errors.
  /// Throws Error if the device for presenting is lost repeatedly.
  void run();

  /// Messages of the validation layers, including those from the destruction of the window.
  std::shared_ptr<const present::ValidationLog> validation() const { return validation_; }

 private:
  void step(double wait_s);
  bool done() const;
  void start_presenting();
  void recover(const Error& fault);
  void apply_look();
  void take_orders();
  void take_input();
  void ask_to_quit();
  void end_session();
  void keep_size();
  bool is_hidden() const { return host_->width() == 0 || host_->height() == 0; }
  bool wants_frame(double now) const;
  void draw_frame();
  void lay_out();
  void show();
  void answer(const std::vector<AskedAction>& asked);
  void perform(const ActionCall& call, bool by_key);
  bool picture_fits() const;
  void write_screenshots();
  Image8 capture(const std::filesystem::path& path);
  present::DrawRequest request();
  void show_title();
  void show_cursor();

  Viewer& viewer_;
  std::unique_ptr<Host> host_;
  WindowOptions options_;
  ImguiContext imgui_;
  Input input_;
  PointerKeys pointer_keys_;
  Theme theme_;
  std::string look_;  // settings from which theme_ was made
  std::shared_ptr<present::ValidationLog> validation_ =
      std::make_shared<present::ValidationLog>();  // of all presenters
  std::unique_ptr<present::Presenter> presenter_;
  std::unique_ptr<PictureStore> pictures_;
  std::unique_ptr<GuiRenderer> renderer_;
  GuiLayers layers_;  // of the last layout
  FrameView frame_view_{viewer_.sharing()};
  Shell shell_;
  ActionQueue actions_;
  Places places_;
  FrameWatch watch_{viewer_.window()};
  double last_s_ = 0, last_drawn_s_ = 0, imgui_time_s_ = 0;
  std::uint64_t drawn_picture_ = 0;  // drawn last, whether or not it was presented
  int width_ = 0, height_ = 0;       // size of the last drawn frame
  bool undrawn_ = false;             // the last frame was not presented
  int losses_ = 0;                   // consecutive losses of the device
  struct AwaitedSize {
    int width = 0, height = 0;
    double until_s = 0;
  };
  std::optional<AwaitedSize> awaited_size_;  // requested from the window system
  bool all_seen_ = false;  // the viewer's last update came after the script's last line
  bool ending_ = false, hurried_ = false, leaving_ = false;
};

}  // namespace mote::gui
