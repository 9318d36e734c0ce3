#include "app/viewer/movement/moving.h"

#include <algorithm>

namespace mote {
namespace {

TimeRange range_of(const Documents& documents) {
  TimeRange whole;
  for (const Document& document : documents.list()) {
    if (!moves(document)) continue;
    const TimeRange one =
        document.movement ? document.movement->scene->range() : time_range(document.edit.times);
    whole.end_s = std::max(whole.end_s, one.end_s);
    whole.period_s = std::max(whole.period_s, one.period_s);
  }
  return whole;
}

}  // namespace

void move_time(Session& session, double dt_s) {
  SceneClock& clock = session.clock;
  clock.set_range(range_of(session.documents));
  clock.advance(dt_s);
  session.in_time = true;
  for (const Document& document : session.documents.list()) {
    if (!document.movement) continue;
    Movement& movement = *document.movement;
    const std::uint64_t before = movement.shown.number;
    movement.shown =
        movement.scene->look_at({.time_s = clock.time_s(), .playing = clock.playing()});
    session.in_time &= movement.shown.exact || !document.shown;
    if (movement.shown.number != before) {
      session.documents.set_edit(document.id, movement.state());
    }
    for (const std::string& fault : movement.scene->take_faults()) {
      session.notices.add(NoticeKind::warning, fault);
    }
  }
}

const Document* moving_document(const Session& session) {
  const Document* active = session.documents.active();
  if (active != nullptr && moves(*active)) return active;
  const auto& list = session.documents.list();
  const auto found =
      std::find_if(list.begin(), list.end(), [](const Document& one) { return moves(one); });
  return found == list.end() ? nullptr : &*found;
}

double picture_rate(const Document& document) {
  return document.movement ? document.movement->scene->frames_per_second() : 0;
}

std::size_t picture_count(const Document& document) {
  return document.movement ? frame_count(*document.movement->scene) : 0;
}

std::size_t picture_at(const Document& document, double time_s) {
  return document.movement ? frame_at(*document.movement->scene, time_s) : 0;
}

std::string picture_name(const Document& document, double time_s) {
  return document.movement ? document.movement->scene->name_at(time_s) : std::string();
}

bool flows(const Session& session) {
  constexpr double kFewest = 6;  // fewest pictures per second that look like motion
  const Document* document = moving_document(session);
  if (document == nullptr || !session.clock.playing()) return false;
  const double rate = picture_rate(*document);
  return rate == 0 || rate * session.clock.speed() >= kFewest;
}

ShownParts shown_parts(const Session& session) {
  ShownParts shown;
  for (const Document& document : session.documents.list()) {
    if (!document.shown || !has_model(document)) continue;
    const std::uint64_t moment = document.movement ? document.movement->shown.number : 0;
    shown.combination.items.push_back(
        {document.id, document.revision, moment, document.edit.selection_number});
    std::shared_ptr<const ModelSource> source =
        StillModel{document.scene, document.field, document.stream}.source();
    if (document.movement) source = shown_source(*document.movement);
    shown.sources.push_back(
        {std::move(source), document.transform, document.extent, document.points});
  }
  return shown;
}

}  // namespace mote
