#!/usr/bin/env bash
# Makes the pictures of the window in docs/images from scripts with pointer and keyboard input. They
# show the bundled scene and a dataset of `mote synth`. Needs xvfb-run and ImageMagick.
#   tools/viewer_pictures.sh [FOLDER]    # writes to another folder
#   DATASET=out/demo/dataset tools/viewer_pictures.sh    # uses an existing dataset
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

mote=$(realpath "${MOTE:-build/release/mote}")
images=$(realpath -m "${1:-docs/images}")
readonly mote images
for program in "$mote" xvfb-run convert; do
  command -v "$program" >/dev/null || {
    echo "viewer_pictures: $program is missing (packages xvfb, imagemagick; cmake --build)" >&2
    exit 1
  }
done
work=$(mktemp -d)
readonly work
trap 'rm -rf "$work"' EXIT
mkdir -p "$images" "$work/assets"
cp assets/still_life.spz "$work/assets"

# in_window: runs the script on stdin in a new window with fresh settings.
in_window() (
  cd "$work" # so that the pictures show short paths
  rm -rf settings
  cat >script.txt
  xvfb-run -a -s "-screen 0 1600x1200x24" "$mote" view --device cpu --settings settings \
    --script script.txt -q
)

# jpeg FROM... TO: joins the pictures side by side, small enough for a page.
jpeg() {
  convert "${@:1:$#-1}" +append -quality 88 -strip "$images/${*: -1}"
}

readonly panel=368x860+0+0  # of the window's pixels: the rail and a panel beside it

# open_all THEME: opens a dataset, the bundled scene in front of it, and a camera path around the
# scene.
open_all() {
  cat <<END
set theme $1
set statistics false
set smoothing 0
window size 1440 900
open pottery
wait loaded
hide pottery
open assets/still_life.spz
wait loaded
camera up -y
camera place 2.5 -1.6 5.5 0 -0.6 0
path add
camera place 5.5 -2.6 1 0 -0.6 0
path add
camera place 4.5 -1.4 -4 0 -0.6 0
path add
camera place -3 -5 9.5 1.5 -0.8 0
wait still
END
}

if [[ -n ${DATASET:-} ]]; then
  cp -r "$DATASET" "$work/pottery"
else
  "$mote" synth pottery -o "$work/pottery" --views 20 --test-views 4 -q
fi

# The whole window, for the README.
in_window <<END
window size 1440 900
open assets/still_life.spz
panel scenes on
camera orbit 360 0
wait still
screenshot window $work/window.png
quit
END
jpeg "$work/window.png" viewer.jpg

# A dataset: its points, and the photographs in their cameras.
in_window <<END
set theme dark
set statistics false
set smoothing 0
window size 1200 750
open pottery
wait loaded
camera frame
camera orbit 30 12
camera zoom 1.4
wait still
wait seconds 6
screenshot window $work/dataset.png
quit
END
jpeg "$work/dataset.png" viewer_dataset.jpg

# The display modes of the splats.
modes=(color depth normals alpha ellipsoids points overdraw tiles)
{
  printf 'window view\nwindow size 640 480\nopen assets/still_life.spz\n'
  for mode in "${modes[@]}"; do
    printf 'mode %s\nwait still\nscreenshot %s\n' "$mode" "$work/$mode.png"
  done
  echo quit
} | in_window
modes=("${modes[@]/#/$work/}")
montage "${modes[@]/%/.png}" -tile 4x2 -geometry 360x270+2+2 -background '#18191b' \
  -quality 88 -strip "$images/viewer_modes.jpg"

# Panels: four in the dark theme, four in the light one.
{
  open_all dark
  cat <<END
panel scenes on
screenshot window $work/scenes.png
panel view on
set backdrop color
mode depth
wait still
screenshot window $work/view.png
mode color
panel camera on
photograph 3
wait still
screenshot window $work/camera.png
camera frame
panel edit on
tool rectangle
select rectangle 0.35 0.3 0.55 0.6
box fit selection
wait still
screenshot window $work/edit.png
quit
END
} | in_window
jpeg "$work"/{scenes,view,camera,edit}.png -crop $panel +repage viewer_panels.jpg
{
  open_all light
  cat <<END
panel train on
screenshot window $work/train.png
panel path on
wait still
screenshot window $work/path.png
panel benchmark on
benchmark run 1280x720 1920x1080 frames=6 warmup=1
wait measured
wait still
screenshot window $work/benchmark.png
panel settings on
screenshot window $work/settings.png
quit
END
} | in_window
jpeg "$work"/{train,path,benchmark,settings}.png -crop $panel +repage viewer_panels_light.jpg
jpeg "$work/path.png" viewer_path.jpg

# A running training, and its result beside the photograph.
in_window <<END
set theme dark
set statistics false
window size 1200 750
open pottery
wait loaded
wait still
panel train on
panel curves on
pointer 640 200
train start steps=600 max-splats=40000 out=run
wait trained 400
screenshot window $work/training.png
wait trained
panel train off
panel photographs on
photograph 5
compare split 0.5
wait still
wait seconds 1
screenshot window $work/comparing.png
quit
END
jpeg "$work/training.png" viewer_training.jpg
jpeg "$work/comparing.png" viewer_comparing.jpg

# A moving scene: the bundled scene on a turntable, with the playback bar.
mkdir "$work/turntable"
for ((frame = 0; frame < 24; ++frame)); do
  "$mote" convert assets/still_life.spz "$work/turntable/frame_$(printf %02d $frame).spz" \
    --rotate "0,$((15 * frame)),0" -q >/dev/null
done
in_window <<END
set theme dark
set statistics false
set smoothing 0
set sequence-fps 12
set sequence-memory 256
window size 1200 750
open turntable
wait loaded
camera up -y
camera place 2.5 -1.6 5.5 0 -0.6 0
time play
wait seconds 3
time pause
time 0.75
wait still
screenshot window $work/moving.png
quit
END
jpeg "$work/moving.png" viewer_moving.jpg

# Lists and messages.
{
  open_all dark
  cat <<END
open missing.ply
wait loaded
panel log on
pointer at "Panels menu"
pointer click left
wait seconds 0.2
screenshot window $work/log.png
quit
END
} | in_window || [[ -s $work/log.png ]] # it is asked for a file that is not there
jpeg "$work/log.png" viewer_log.jpg

for picture in "$images"/viewer*.jpg; do
  bytes=$(stat -c %s "$picture")
  ((bytes < 250000)) || {
    echo "viewer_pictures: $picture has $bytes bytes; a page shall not need so many" >&2
    exit 1
  }
  echo "$picture: $((bytes / 1000)) kB"
done
