#include "backend/picture_sink.h"

#include "backend/backend.h"
#include "core/error.h"

namespace mote {

std::unique_ptr<PictureSink> Backend::import_pictures(SharedPictures) {
  throw Error("its pictures are made in the host's memory", description(),
              "let them be copied from there");
}

}  // namespace mote
