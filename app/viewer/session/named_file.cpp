#include "app/viewer/session/named_file.h"

#include "app/jobs/inputs.h"
#include "app/viewer/session/session.h"

namespace mote {

namespace fs = std::filesystem;

InputFiles files_in_use(const Session& session) {
  InputFiles files;
  for (const CameraSet& set : session.cameras) {
    if (set.data) add_photographs(set.data->dataset, files);
  }
  for (const Document& document : session.documents.list()) {
    if (document.movement) add_scene(document.source, files);
  }
  return files;
}

NamedFile named_file(const Session& session, const fs::path& path) {
  std::error_code ignored;
  if (!fs::exists(path, ignored)) return {path, session.existing};
  return {path, named_output(path, session.existing == Existing::replace, files_in_use(session))};
}

}  // namespace mote
