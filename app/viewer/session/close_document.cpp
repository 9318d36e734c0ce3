#include "app/viewer/session/close_document.h"

#include <utility>
#include <vector>

#include "app/viewer/session/run_curves.h"
#include "core/error.h"

namespace mote {

void close_document(Session& session, std::uint32_t id) {
  const Document* document = session.documents.find(id);
  CHECK(document != nullptr && !document->training);
  std::shared_ptr<const void> scene = StillModel{document->scene, document->field, document->stream}
                                          .source(),
                              movement = document->movement;
  forget_curves_of(session, id);
  session.documents.remove(id);
  for (DocumentSwap& swap : session.swaps) {
    if (swap.scene != id) continue;
    for (Document& other : swap.closed) session.let_go(std::move(other.scene));
  }
  std::erase_if(session.swaps, [id](const DocumentSwap& swap) { return swap.scene == id; });
  if (session.box_scene == id || session.documents.empty()) session.box.reset();
  session.let_go(std::move(scene));
  session.let_go(std::move(movement));
  const auto is_its = [id](const CameraSet& set) { return set.id == id; };
  for (CameraSet& set : session.cameras) {
    if (is_its(set)) session.let_go(std::move(set.data));
  }
  std::erase_if(session.cameras, is_its);
  if (session.photograph && session.find_cameras(session.photograph->set) == nullptr) {
    session.photograph.reset();
  }
}

}  // namespace mote
