#include "app/viewer/session_report.h"

#include <nlohmann/json.hpp>

#include "app/viewer/movement/moving.h"

namespace mote {
namespace {

using nlohmann::json;

json vector_json(const glm::dvec3& v) {
  return {v.x, v.y, v.z};
}

/// Mean and maximum per frame.
json window_json(const WindowCosts& costs) {
  const auto frames = static_cast<double>(costs.frames);
  return {{"frames", costs.frames},
          {"layout_ms", costs.layout_ms / frames},
          {"upload_ms", costs.upload_ms / frames},
          {"draw_ms", costs.draw_ms / frames},
          {"longest_turn_ms", costs.longest_turn_ms},
          {"longest_work_ms", costs.longest_work_ms},
          {"longest_gap_ms", costs.longest_gap_ms},
          {"pipelines", costs.pipelines},
          {"files", costs.files}};
}

/// In the format of `mote bench`.
json presented_json(const PresentedFrames& frames) {
  json report{{"pictures", frames.total()}, {"frames", frames.count()}};
  if (frames.count() == 0) return report;
  report["on_screen"] = times_json(frames.on_screen());
  report["rendered"] = times_json(frames.rendered());
  return report;
}

json frame_json(const FinishedFrame& frame) {
  json report{{"width", frame.camera.width},
              {"height", frame.camera.height},
              {"full", frame.full},
              {"render_ms", frame.stats.total_ms},
              {"latency_ms", 1e3 * (frame.finished_s - frame.asked_s)},
              {"visible", frame.stats.visible}};
  if (frame.range) report["range"] = {frame.range->low, frame.range->high};
  return report;
}

std::string_view kind_name(NoticeKind kind) {
  return kind == NoticeKind::error ? "error" : kind == NoticeKind::warning ? "warning" : "info";
}

}  // namespace

std::string session_json(const Session& session) {
  json scenes = json::array(), cameras = json::array(), notices = json::array();
  for (const Document& document : session.documents.list()) {
    scenes.push_back({{"name", document.name},
                      {"format", document.format},
                      {"splats", document.edit.splats},
                      {"selected", document.edit.selected},
                      {"shown", document.shown}});
  }
  for (const CameraSet& set : session.cameras) {
    cameras.push_back({{"name", set.name}, {"views", set.views.size()}});
  }
  for (const Notice& notice : session.notices.list()) {
    notices.push_back({{"kind", kind_name(notice.kind)}, {"text", notice.text}});
  }
  json report{{"scenes", scenes},
              {"cameras", cameras},
              {"notices", notices},
              {"eye", vector_json(session.navigator.pose().eye_world)},
              {"focus", vector_json(session.navigator.pose().focus_world())},
              {"frames", session.renderer.finished()},
              {"still", session.still},
              {"project",
               {{"file", session.project.file.string()},
                {"missing", session.project.missing.size()},
                {"offered", session.project.offered}}},
              {"training",
               {{"phase", phase_name(session.training.status.phase)},
                {"step", session.training.status.step},
                {"splats", session.training.status.count}}}};
  if (!session.path.empty()) {
    report["path"] = {{"keyframes", session.path.size()},
                      {"duration_s", session.path.end_s() - session.path.start_s()},
                      {"time_s", session.path.time_s()},
                      {"playing", session.path.playing()}};
  }
  if (const Document* moving = moving_document(session)) {
    const double time_s = session.clock.time_s();
    report["time"] = {{"time_s", time_s},
                      {"end_s", session.clock.range().end_s},
                      {"playing", session.clock.playing()},
                      {"frame", picture_at(*moving, time_s) + 1},
                      {"frames", picture_count(*moving)},
                      {"file", picture_name(*moving, time_s)}};
  }
  for (const BenchReport& one : session.benchmark_reports) {
    report["benchmark"].push_back(report_json(one));
  }
  if (session.window.costs.frames > 0) {
    report["window"] = window_json(session.window.costs);
    report["window"]["presented"] = presented_json(session.window.presented);
  }
  if (session.frame != nullptr) report["frame"] = frame_json(*session.frame);
  if (session.scene) {
    report["shown"] = {{"splats", session.scene->count},
                       {"merge_ms", session.scene->merge_ms},
                       {"upload_ms", session.scene->upload_ms}};
  }
  return report.dump(2, ' ', false, json::error_handler_t::replace);
}

}  // namespace mote
