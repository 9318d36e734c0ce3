#include "app/gui/window.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <thread>
#include <utility>

#include "app/gui/input.h"
#include "app/gui/turn_meter.h"
#include "app/viewer/view/overlay.h"
#include "app/viewer/workers/seconds.h"
#include "core/interrupt.h"
#include "core/options.h"
#include "present/vulkan_error.h"

namespace mote::gui {
namespace {

constexpr double kDue_s = 0.001;      // while a frame is due
constexpr double kWorking_s = 0.004;  // between polls of the workers
constexpr double kResting_s = 0.25;   // while nothing changes
constexpr double kRefresh_s = 0.1;    // of numbers that change during work

/// Converts to values of 0 to 1; a PNG rounds them to the original bytes.
Image as_floats(const Image8& picture) {
  Image image;
  image.resize_discard(picture.width, picture.height, picture.channels);
  std::ranges::transform(picture.pixels.span(), image.pixels.data(),
                         [](std::uint8_t value) { return static_cast<float>(value) / 255.0f; });
  return image;
}

}  // namespace

Window::Window(Viewer& viewer, std::unique_ptr<Host> host, WindowOptions options)
    : viewer_(viewer), host_(std::move(host)), options_(std::move(options)), imgui_(*host_) {
  input_.name_keys();
  apply_look();
  start_presenting();
  viewer_.window().is_there = true;
  watch_.start(presenter_->device().pipelines_made_here());
  last_s_ = now_s();
}

Window::~Window() {
  viewer_.window().is_there = false;
}

void Window::start_presenting() {
  renderer_.reset();
  pictures_.reset();
  frame_view_.forget();
  presenter_.reset();
  present::PresenterOptions options;
  options.gpu = options_.gpu;
  options.validation = options_.validation;
  options.validation_log = validation_;
  options.window = host_->window_system();
  options.width = host_->width();
  options.height = host_->height();
  options.prepares = options_.prepares;
  options.cache_folder = options_.cache_folder;
  presenter_ = std::make_unique<present::Presenter>(options);
  pictures_ = std::make_unique<PictureStore>(*presenter_);
  renderer_ = std::make_unique<GuiRenderer>(*presenter_);
  watch_.start_pipelines(presenter_->device().pipelines_made_here());
}

/// Recovers from a failed frame, whose partial results are discarded. Called inside a catch block.
void Window::recover(const Error& fault) {
  constexpr int kMostLosses = 3;
  constexpr std::chrono::milliseconds kRest(200);  // a driver needs it to restart its device
  if (++losses_ > kMostLosses) throw;
  if (losses_ > 1) std::this_thread::sleep_for(kRest);
  try {
    start_presenting();
  } catch (const Error& again) {
    recover(again);
    return;
  }
  viewer_.tell(NoticeKind::warning,
               fmt::format("{}: the display of the window was set up again", fault.problem()));
}

void Window::apply_look() {
  const ViewerSettings& settings = viewer_.session().settings();
  const std::string look =
      fmt::format("{} {} {:.3f}", settings.theme, settings.font_size, host_->scale());
  if (look == look_) return;
  look_ = look;
  const bool other_fonts = theme_.text_px != text_height(settings, host_->scale());
  if (other_fonts) renderer_.reset();  // it uses the old ones
  theme_ = apply_theme(settings, host_->scale(), theme_);
  if (other_fonts && presenter_ != nullptr) {
    renderer_ = std::make_unique<GuiRenderer>(*presenter_);
  }
}

void Window::run() {
  while (!done()) {
    throw_if_interrupted();
    const WindowState& window = viewer_.window();
    const bool due = input_.pending() || window.frames_due > 0 || !window.events.empty();
    const bool working =
        due || viewer_.busy() || viewer_.session().navigator.moving() || pointer_keys_.moving();
    if (!working) watch_.rest();
    const bool polls = working || options_.script != nullptr;
    step(due ? kDue_s : polls ? kWorking_s : kResting_s);
  }
  keep_size();
}

bool Window::done() const {
  const Session& session = viewer_.session();
  const bool by_script = options_.script != nullptr && options_.ends_with_script;
  if (!by_script || session.quitting) return leaving_;
  const WindowState& window = session.window;
  return all_seen_ && !Script::has_pending_effects(session) && !session.has_tasks() &&
         window.screenshots.empty() && window.events.empty() && window.frames_due == 0;
}

void Window::step(double wait_s) {
  WindowState& window = viewer_.window();
  host_->poll(wait_s, window.events);
  const TurnMeter turn(window.costs);
  take_orders();
  take_input();
  end_session();
  const double now = now_s();
  watch_.begin_turn(viewer_.session());
  all_seen_ = options_.script != nullptr && options_.script->done();
  viewer_.update(now - last_s_);
  last_s_ = now;
  if (options_.script != nullptr) options_.script->step(viewer_);
  if (is_hidden()) {
    // Nothing will be drawn, so scripts must not wait for it.
    window.frames_due = 0;
    if (!std::exchange(window.screenshots, {}).empty()) {
      viewer_.tell(NoticeKind::error, "the window is minimised, so there is no picture of it");
    }
  }
  if (!wants_frame(now)) return;
  last_drawn_s_ = now;
  try {
    draw_frame();
    losses_ = 0;
  } catch (const Error& fault) {
    recover(fault);
  }
}

void Window::take_input() {
  WindowState& window = viewer_.window();
  if (host_->take_close()) ask_to_quit();
  pointer_keys_.take(window, {.width = host_->width(),
                              .height = host_->height(),
                              .unit = static_cast<double>(theme_.unit),
                              .typing = ImGui::GetIO().WantTextInput,
                              .now_s = now_s()});
  if (!window.events.empty()) window.frames_due = WindowState::kFramesToSettle;
  input_.add(window.events);
}

/// A second close request while the dialog is open is not an answer.
void Window::ask_to_quit() {
  const Session& session = viewer_.session();
  if (!session.quitting && !shell_.allows(session, "quit")) {
    WindowState& window = viewer_.window();
    if (is_hidden()) window.orders.push_back({.kind = WindowOrder::Kind::restore});
    window.frames_due = WindowState::kFramesToSettle;
    return;
  }
  hurried_ = session.quitting;
  viewer_.act("quit");
}

void Window::take_orders() {
  constexpr double kPatience_s = 0.5;
  WindowState& window = viewer_.window();
  for (const WindowOrder& order : std::exchange(window.orders, {})) {
    host_->obey(order);
    window.frames_due = WindowState::kFramesToSettle;
    if (order.kind != WindowOrder::Kind::resize) continue;
    awaited_size_ = AwaitedSize{order.width, order.height, now_s() + kPatience_s};
  }
  if (!awaited_size_) return;
  const bool is_there =
      host_->width() == awaited_size_->width && host_->height() == awaited_size_->height;
  if (is_there || now_s() > awaited_size_->until_s) awaited_size_.reset();
  window.frames_due = WindowState::kFramesToSettle;
}

void Window::keep_size() {
  if (!options_.keeps_size || is_hidden() || host_->is_full_screen()) return;
  const auto points = [this](int px) {
    return std::max(64, static_cast<int>(static_cast<float>(px) / host_->scale()));
  };
  viewer_.act({"set", "width", points(host_->width())});
  viewer_.act({"set", "height", points(host_->height())});
}

void Window::end_session() {
  const Session& session = viewer_.session();
  if (!session.quitting) return;
  if (!ending_) {
    viewer_.act("cancel");
    if (session.trainer.active()) viewer_.act("train stop");
  }
  ending_ = true;
  // Always waits for a run's checkpoint. Other files are completed without the window.
  const bool writes = session.saving || session.has_tasks();
  leaving_ = !session.trainer.active() && (hurried_ || !writes);
}

bool Window::wants_frame(double now) const {
  const Session& session = viewer_.session();
  if (is_hidden()) return false;
  const bool resized = host_->width() != width_ || host_->height() != height_;
  const bool new_frame = session.frame != nullptr && session.frame->number != drawn_picture_;
  const bool refresh =
      (viewer_.busy() || shell_.moving() || undrawn_) && now - last_drawn_s_ > kRefresh_s;
  return resized || new_frame || refresh || input_.pending() || session.window.frames_due > 0 ||
         !session.window.screenshots.empty() || shell_.moving() || now - last_drawn_s_ > 1;
}

void Window::draw_frame() {
  width_ = host_->width();
  height_ = host_->height();
  presenter_->resize(width_, height_);
  const bool newest = viewer_.session().settings().pacing == kPacingNames.back();
  presenter_->set_pacing(newest ? present::Pacing::newest : present::Pacing::vsync);
  const Session& session = viewer_.session();
  watch_.begin_frame(session);
  lay_out();
  show();
  WindowState& window = viewer_.window();
  if (window.frames_due > 0 && !input_.pending()) --window.frames_due;
  if (!presenter_->settled() || !shell_.settled() || !pictures_->settled()) {
    window.frames_due = std::max(window.frames_due, 1);
  }
  answer(actions_.take());
  watch_.end_frame(session);
  write_screenshots();
  watch_.note_own_work(presenter_->device().pipelines_made_here());
}

void Window::lay_out() {
  // Waiting input is older than its frame: two clicks are a double click even if the frames between
  // them are slow.
  constexpr double kQuick_s = 1.0 / 30;
  const double now = now_s();
  const double passed_s = std::max(1e-4, now - imgui_time_s_);
  apply_look();
  ImGuiIO& io = ImGui::GetIO();
  io.DisplaySize = {static_cast<float>(width_), static_cast<float>(height_)};
  io.DeltaTime = static_cast<float>(input_.left_over() ? std::min(passed_s, kQuick_s) : passed_s);
  imgui_time_s_ = now;
  for (const std::filesystem::path& path : input_.feed()) {
    actions_.add("open", path.string());
  }
  pictures_->begin_frame();
  ImGui::NewFrame();
  places_.begin_frame(options_.script != nullptr);
  const PanelContext context{viewer_.session(), actions_, *pictures_, theme_, places_};
  shell_.take_keys(context);
  answer(actions_.take());
  if (viewer_.session().actions != viewer_.session().actions_asked) viewer_.request_picture();
  watch_.note_answers(viewer_.session());
  shell_.draw(context, watch_.last());
  pointer_keys_.draw(theme_);
  ImGui::Render();
  pictures_->throw_fault();
  layers_.take(*ImGui::GetDrawData());
  viewer_.window().places = places_.take();
  viewer_.resize(shell_.view().width, shell_.view().height);
  show_title();
  show_cursor();
  watch_.end_part(&WindowCosts::layout_ms);
}

present::DrawRequest Window::request() {
  const Session& session = viewer_.session();
  present::DrawRequest request;
  const ImVec4& behind = ImGui::GetStyle().Colors[ImGuiCol_WindowBg];
  request.clear_color = {behind.x, behind.y, behind.z};
  frame_view_.describe(request, session, shell_.view());
  request.time_s = now_s();
  if (session.frame != nullptr && !session.window.view_only) {
    request.overlay = overlay_strokes(session, shell_.controls().tools());
  }
  request.around = [this](VkCommandBuffer commands) {
    renderer_->record(layers_.around(), commands);
  };
  request.around_version = layers_.around_version();
  request.gui = [this](VkCommandBuffer commands) {
    pictures_->begin_record(commands);
    renderer_->record(layers_.over(), commands);
  };
  return request;
}

void Window::show() {
  const Session& session = viewer_.session();
  frame_view_.refresh(*presenter_, session, shell_.view());
  watch_.end_part(&WindowCosts::upload_ms);
  undrawn_ = !presenter_->draw(request());
  frame_view_.note_drawn(*presenter_, session);
  watch_.end_drawing(session, !undrawn_);
  if (session.frame != nullptr) drawn_picture_ = session.frame->number;
}

void Window::answer(const std::vector<AskedAction>& asked) {
  if (!asked.empty()) viewer_.window().frames_due = WindowState::kFramesToSettle;
  for (const auto& [wanted, by_key] : asked) {
    // A project without a file is saved under a new name.
    const bool unnamed =
        wanted.action->name == "project save" && viewer_.session().project.file.empty();
    const ActionCall call = unnamed ? ActionCall("project save as") : wanted;
    if (lacks_path(call)) {
      shell_.ask_for_path(viewer_.session(), call);
    } else if (call.action->name == "quit") {
      ask_to_quit();
    } else if (shell_.allows(viewer_.session(), call)) {
      perform(call, by_key);
    }
  }
}

/// Runs an action. An impossible action is not reported if a key requested it, since keys are
/// easily pressed by accident.
void Window::perform(const ActionCall& call, bool by_key) {
  try {
    viewer_.perform(call);
  } catch (const UsageError& error) {
    viewer_.tell(by_key ? NoticeKind::info : NoticeKind::error, error.what());
  } catch (const Error& error) {
    viewer_.tell(NoticeKind::error, error.what());
  }
}

/// Whether the newest picture fills its place. It does not directly after a panel was opened or the
/// window got another size.
bool Window::picture_fits() const {
  const Session& session = viewer_.session();
  if (session.frame == nullptr || session.failed || session.documents.empty()) return true;
  return session.frame->full_width == session.view.width &&
         session.frame->full_height == session.view.height;
}

void Window::write_screenshots() {
  if (!presenter_->settled() || !picture_fits()) return;
  std::vector<NamedFile>& wanted = viewer_.window().screenshots;
  for (; !wanted.empty(); wanted.erase(wanted.begin())) {
    const auto picture = std::make_shared<Image8>(capture(wanted.front().path));
    try {
      viewer_.write([picture] { return as_floats(*picture); }, wanted.front());
    } catch (const Error& error) {
      viewer_.tell(NoticeKind::error, error.what());
    }
  }
}

/// Captures the window. After a device loss the request stays for the next device. After another
/// error the user is told and the request is dropped.
Image8 Window::capture(const std::filesystem::path& path) {
  try {
    return presenter_->capture(request(), width_, height_);
  } catch (const present::DeviceLost&) {
    throw;
  } catch (const Error& error) {
    viewer_.tell(NoticeKind::error,
                 fmt::format("{}: not written: {}", path.string(), error.what()));
    viewer_.window().screenshots.clear();
    throw;
  }
}

void Window::show_title() {
  const Document* document = viewer_.session().documents.active();
  if (document == nullptr) {
    host_->set_title("Mote");
    return;
  }
  const std::filesystem::path& project = viewer_.session().project.file;
  host_->set_title(fmt::format("{}{}{} - Mote", has_unsaved_edits(*document) ? "*" : "",
                               document->name,
                               project.empty() ? "" : ", " + project.filename().string()));
}

void Window::show_cursor() {
  host_->set_cursor(shell_.controls().has_pointer()
                        ? cursor_of(shell_.controls().tools().shape(viewer_.session()))
                        : cursor_of(ImGui::GetMouseCursor()));
}

}  // namespace mote::gui
