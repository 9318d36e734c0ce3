// Camera paths: files, pictures and videos of them.
#include <fmt/format.h>

#include <filesystem>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "app/jobs/frame_output.h"
#include "app/jobs/picture_memory.h"
#include "app/jobs/shared_options.h"
#include "app/viewer/actions/action_lists.h"
#include "app/viewer/actions/edits.h"
#include "app/viewer/movement/scenes_in_time.h"
#include "app/viewer/session/apply_settings.h"
#include "app/viewer/session/session.h"
#include "app/viewer/session/settled_scene.h"
#include "app/viewer/workers/composed_scene.h"
#include "core/spelling.h"
#include "io/cameras/camera_path_file.h"

namespace mote {
namespace {

namespace fs = std::filesystem;

void open_camera_path(Session& session, const Arguments& arguments) {
  const auto job = [&session, file = fs::path(arguments.word(0)), width = session.view.width,
                    height = session.view.height] {
    auto path = std::make_shared<KeyframePath>(load_camera_path(file, width, height));
    return [&session, file, path] { session.path.open(std::move(*path), file); };
  };
  session.tasks.add(job, false);
}

void save_path(Session& session, const Arguments& arguments) {
  require_keyframes(session, "path save");
  const NamedFile file = named_file(session, arguments.word(0));
  const auto job = [&session, file, path = session.path.path(), version = session.path.version()] {
    write_camera_path(path, file.path, file.existing);
    return [&session, file = file.path, version] {
      session.path.saved(file, version);
      session.notices.add(NoticeKind::info, fmt::format("{}: written", file.string()));
    };
  };
  session.tasks.add(job, true);
}

/// Parameters of a path's video.
struct VideoOrder {
  std::shared_ptr<ScenesInTime> scenes;
  bool run_alone;        // only the splats of the running training are shown
  bool kernel_by_scene;  // use the kernel of the scene's training, not of the settings
  bool compares;         // the view compares with a photograph
  RenderSettings settings;
  const RenderMode* mode;
  KeyframePath path;
  PathSampling sampling;
  FrameOutputOptions output;
  InputFiles inputs;  // inputs that no output may replace
};

/// For a running training the scene is that of the next point between two steps; the run
/// continues.
std::shared_ptr<ScenesInTime> scenes_to_record(Session& session) {
  if (!shows_training(session.documents)) {
    return std::make_shared<ScenesInTime>(session, settled_scene(session, "path export"));
  }
  auto scenes = std::make_shared<ScenesInTime>(session, nullptr);
  scenes->expect_run(session.trainer.scene());
  return scenes;
}

/// The message about a finished video.
std::string words_of(const VideoOrder& order, std::size_t frames, const std::string& remark) {
  const TrainedScene* run = order.scenes->run();
  return fmt::format(
      "{}: {} written{}{}{}", order.output.out, number_of(frames, "frame"),
      run != nullptr ? fmt::format(" of the splats after step {}", run->step) : "", remark,
      order.compares ? "; without photographs, because there are none along a path" : "");
}

/// Renders in turns, so that the view and a run continue meanwhile. Returns the message about the
/// video.
std::string write_video(DeviceTurns& device, const VideoOrder& order,
                        const LongTask::Control& control) {
  order.output.check_place();
  const std::vector<View> views = path_views(order.path, order.sampling);
  RenderSettings settings = order.settings;
  order.scenes->await_run([&] { control.progress(0, views.size()); });
  const TrainedScene* run = order.scenes->run();
  if (run != nullptr && order.run_alone) settings.background = run->background;
  const auto output =
      make_frame_output(order.output, views, order.sampling.frames_per_second, order.inputs);
  Drawable* model = nullptr;
  Image scratch;
  const auto render = [&](const View& view, Frame& frame) {
    FrameStats stats;
    if (model == nullptr) {
      render_nothing(view.camera, settings, frame);
    } else {
      const DeviceTurns::Turn turn(device, DeviceUser::view);
      stats = model->render(view, settings, frame);
    }
    paint_over(*order.mode, view.camera, frame, scratch);
    return stats;
  };
  const auto before = [&](std::size_t done) {
    control.progress(done, views.size());
    model = order.scenes->at(views[done].time_s, device);
    if (run != nullptr && (order.run_alone || order.kernel_by_scene)) {
      settings.antialiased = order.scenes->antialiased();
    }
  };
  const SequenceSteps steps{.render = render, .before = before};
  write_sequence(views, steps, *output);
  return words_of(order, views.size(), output->remark());
}

double rate_of(const Session& session, const Arguments& arguments, std::size_t i) {
  const double usual = session.path.path().frames_per_second;
  const double rate = arguments.number_or(i, usual > 0 ? usual : 30);
  if (!(rate >= 1 && rate <= 1000)) arguments.refuse(i, "frames a second, 1 to 1000");
  return rate;
}

ImageSize size_of(const Session& session, const Arguments& arguments, std::size_t i) {
  constexpr const char* kPlace = "path export, SIZE";
  const KeyframePath& path = session.path.path();
  const ImageSize size = arguments.has(i) ? parse_image_size(arguments.word(i), kPlace)
                         : path.width > 0 ? ImageSize{path.width, path.height}
                                          : ImageSize{session.view.width, session.view.height};
  check_picture_memory({size.width, size.height, kViewBytesPerPixel}, kPlace);
  return size;
}

/// WxH, or "view" for the size of the view.
void format(Session& session, const Arguments& arguments) {
  const ImageSize size = arguments.word(0) == "view"
                             ? ImageSize{0, 0}
                             : parse_image_size(arguments.word(0), "path format, SIZE");
  edited_path(session).set_format(size.width, size.height, rate_of(session, arguments, 1));
}

void write(Session& session, const Arguments& arguments) {
  require_keyframes(session, "path export");
  const ImageSize size = size_of(session, arguments, 1);
  const double rate = rate_of(session, arguments, 2);
  VideoOrder order{
      .scenes = scenes_to_record(session),
      .run_alone = shows_training_alone(session.documents),
      .kernel_by_scene = session.settings().antialiased == "auto",
      .compares = session.view.compare != Compare::off,
      .settings = render_settings(session),
      .mode = session.view.mode,
      .path = session.path.path(),
      .sampling = {.width = size.width, .height = size.height, .frames_per_second = rate},
      .output = {.out = arguments.word(0), .replace = session.existing == Existing::replace},
      .inputs = files_in_use(session)};
  order.output.check({});
  if (order.output.is_video()) named_file(session, order.output.out);
  session.video.start(order.output.out, [&session, order](const LongTask::Control& control) {
    const std::string words = write_video(session.device, order, control);
    control.reply([&session, words] { session.notices.add(NoticeKind::info, words); });
  });
  if (arguments.size() > 1) session.path.set_format(size.width, size.height, rate);
}

void write_pictures(Session& session, const Arguments& arguments) {
  if (FrameOutputOptions{.out = arguments.word(0)}.is_video()) {
    arguments.refuse(0, "a folder");
  }
  write(session, arguments);
}

void cancel_video(Session& session, const Arguments&) {
  session.video.cancel();
}

}  // namespace

std::vector<Action> path_file_actions() {
  constexpr std::string_view kGroup = "Path";
  return {
      {"path open",
       kGroup,
       "read a camera path",
       "",
       {{"PATH", "camera path, or the cameras of a dataset", false, false,
         PathUse::file_or_folder}},
       open_camera_path},
      {"path save",
       kGroup,
       "write the path for mote render --path",
       "",
       {{"PATH", "a .json", false, false, PathUse::new_file, ".json"}},
       save_path},
      {"path export",
       kGroup,
       "write the path as a video or as pictures",
       "",
       {{"PATH", "a .mp4, or a folder for pictures", false, false, PathUse::new_file, ".mp4"},
        {"SIZE", "WxH; default: the size of the path, or of the view", true},
        {"FPS", "frames per second", true}},
       write},
      {"path pictures",
       kGroup,
       "write the path as pictures in a folder",
       "",
       {{"FOLDER", "created if missing", false, false, PathUse::new_folder},
        {"SIZE", "WxH; default: the size of the path, or of the view", true},
        {"FPS", "frames per second", true}},
       write_pictures},
      {"path format",
       kGroup,
       "set size and frame rate of the path's video",
       "",
       {{"SIZE", "WxH, or view for the size of the view"}, {"FPS", "frames per second", true}},
       format},
      {"path cancel", kGroup, "stop writing the video", "", {}, cancel_video},
  };
}

}  // namespace mote
