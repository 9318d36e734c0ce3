#include "io/datasets/photo_import.h"

namespace mote {

void ImportOptions::describe(OptionTable& table) {
  table
      .add({.name = "matcher",
            .target = &matcher,
            .help = "pairs to compare: all (exhaustive), or neighbours by name (sequential); auto: "
                    "all for up to 300 photographs",
            .choices = {"auto", "exhaustive", "sequential"}})
      .add(
          {.name = "camera-model",
           .target = &camera_model,
           .help = "COLMAP's camera model",
           .choices = {"SIMPLE_PINHOLE", "PINHOLE", "SIMPLE_RADIAL", "RADIAL", "OPENCV",
                       "FULL_OPENCV", "OPENCV_FISHEYE", "SIMPLE_RADIAL_FISHEYE", "RADIAL_FISHEYE"}})
      .add({.name = "single-camera",
            .target = &single_camera,
            .help = "whether one camera and lens took all photographs; auto: yes if all have the "
                    "same size, one camera per subfolder",
            .choices = {"auto", "yes", "no"}})
      .add({.name = "subfolders",
            .target = &subfolders,
            .help = "also use photographs in subfolders, except \"masks\" and reduced copies such "
                    "as \"images_2\"",
            .choices = {"yes", "no"}})
      .add({.name = "max-image-size",
            .target = &max_image_size,
            .help =
                "longest side of photographs for the search for features; larger ones are reduced",
            .unit = "px",
            .minimum = 64,
            .maximum = 16384})
      .add({.name = "max-features",
            .target = &max_features,
            .help = "maximum number of features per photograph; more help with difficult "
                    "photographs, but the time grows with the square",
            .minimum = 100,
            .maximum = 1e6})
      .add({.name = "video-fps",
            .target = &video_fps,
            .help = "of a video: number of frames to take per second; it is the --frame-rate of a "
                    "training on it as a moving scene",
            .minimum = 0.01,
            .maximum = 60})
      .add({.name = "keyframe-interval",
            .target = &keyframe_interval,
            .help = "of several videos: time between the moments at which points are found",
            .unit = "s",
            .minimum = 0.01,
            .maximum = 3600})
      .add({.name = "masks",
            .target = &masks,
            .help = "folder of masks, IMG.jpg.png or IMG.png for IMG.jpg, black on what moves: "
                    "COLMAP finds the poses without it; training sees all of the photographs",
            .placeholder = "DIR"})
      .add({.name = "colmap",
            .target = &colmap,
            .help = "path of the COLMAP program",
            .placeholder = "PATH"})
      .add({.name = "ffmpeg",
            .target = &ffmpeg,
            .help = "path of the ffmpeg program, for videos",
            .placeholder = "PATH"})
      .add({.name = "threads",
            .target = &threads,
            .help = "CPU threads for COLMAP; 0: all",
            .minimum = 0,
            .maximum = 1024});
}

}  // namespace mote
