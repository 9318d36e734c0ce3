#include "backend/picture_sink.h"

#include "backend/backend.h"
#include "core/error.h"

namespace mote {

std::unique_ptr<PictureSink> Backend::import_pictures(SharedPictures) {
  throw Error("it renders into host memory", description(), "copy its pictures from there");
}

}  // namespace mote
