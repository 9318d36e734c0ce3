# The results of tools/gpu_check.sh: programs run within their time, what they measured, and the report.
# Sourced by it.
# shellcheck shell=bash disable=SC2034,SC2154 # variables of gpu_check.sh

# json_value FILE PATH: the value at a path of keys, as in frame.mean_ms, of JSON indented by two.
json_value() {
  awk -v path="$2" '
    match($0, /^ *"[^"]*":/) {
      depth = int((index($0, "\"") - 1) / 2)
      split($0, part, "\""); key[depth] = part[2]
      name = key[1]
      for (i = 2; i <= depth; ++i) name = name "." key[i]
      if (name == path) { sub(/^[^:]*: */, ""); sub(/,$/, ""); gsub(/"/, ""); print; exit }
    }' "$1"
}

# Prints text as a JSON string, on one line.
json_string() {
  printf '"%s"' "$(tr '\n\t' '  ' <<<"$1" | tr -d '\000-\037' | sed 's/\\/\\\\/g; s/"/\\"/g; s/ *$//')"
}

# record WHAT STATUS SECONDS COMMAND SUMMARY [JSON_FILE]: adds a result of the current part to the
# report and to its table.
record() {
  local data=null
  [[ -z ${6:-} || ! -s $6 ]] || data=$(<"$6")
  {
    printf '{"part": "%s", "what": %s, "status": "%s", "seconds": %s, ' \
      "$part" "$(json_string "$1")" "$2" "$3"
    printf '"command": %s, "summary": %s, "date": "%s", "commit": %s, "data": %s}\n,\n' \
      "$(json_string "$4")" "$(json_string "$5")" "$(date -u +%FT%TZ)" "$(json_string "$commit")" "$data"
  } >>"$out/parts/$part.json"
  printf '| %s | %s | %s | %s | %s |\n' "$part" "$1" "${2^^}: ${5//|//}" "$3" "${4:+\`$4\`}" |
    tee -a "$out/parts/$part.rows"
  [[ $2 != failed ]] || touch "$out/parts/$part.failed"
}

# limited PROGRAM...: runs within the part's remaining time; `before` is a prefix, as of a checker.
before=()
limited() {
  local left=$((deadline - SECONDS))
  ((left > 0)) || return 124
  # A checker gets the machine's environment, and only the program that it starts gets ours.
  # In the foreground, the program stays in the part's process group.
  timeout --foreground --kill-after=10 "$left" "${before[@]}" "${environment[@]}" "${launch[@]}" "$@"
}

# measure WHAT KIND JSON_FILE PROGRAM...: runs the program, records its result with a summary of
# that kind, and fails if the program fails. The kind `quiet` records failures only.
measure() {
  local what=$1 kind=$2 data=$3 begin=$SECONDS status=0 verdict=passed log
  shift 3
  log=$out/parts/$part.$(tr -c 'a-zA-Z0-9\n' '_' <<<"$what").log
  limited "$@" >"$log" 2>&1 || status=$?
  local seconds=$((SECONDS - begin))
  local shown="${before[*]:+${before[*]##*/} }${1##*/} ${*:2}"
  if ((status == 0)); then
    [[ $kind != tests ]] || ! grep -q '^\[  PASSED  \] 0 ' "$log" || verdict=skipped
    [[ $kind == quiet ]] || record "$what" "$verdict" "$seconds" "$shown" "$(summary "$kind" "$log" "$data")" "$data"
  elif ((status == 124 || status == 137)); then
    record "$what" failed "$seconds" "$shown" "not done within the part's $part_s s: use a larger --time or fewer --parts"
  else
    record "$what" failed "$seconds" "$shown" "exit code $status: $(grep -v '^$' "$log" | tail -n 2)"
  fi
  return "$status"
}

skip() { record "$1" skipped 0 "" "$2"; }

# summary KIND LOG JSON_FILE: prints a program's result in one line.
summary() {
  case $1 in
    last_line) tail -n 1 "$2" ;;
    devices) machine_text <"$2" ;;
    tests)
      sed -n 's/^\[==========\] \([0-9]* tests\{0,1\}\).*ran.*/\1 ran/p; s/^\[  PASSED  \] \([0-9]*\).*/\1 passed/p
        s/^\[  SKIPPED \] \([0-9]*\) tests\{0,1\}[.,].*/\1 skipped/p' "$2" | paste -sd, | sed 's/,/, /g'
      ;;
    bench) bench_summary "$3" ;;
    train) train_summary "$3" ;;
    rates) sed 1d "$2" | paste -sd';' | sed 's/;/; /g' ;;
    field_run) field_run_summary "$3" ;;
    field_frames) field_frames_summary "$3" ;;
    field_quality) field_quality_summary "$3" ;;
  esac
}

# Reads the output of `mote devices`; prints the machine and its GPUs.
machine_text() { sed -n 's/^machine *//p; s/^ *\(cuda:[0-9]*\) */\1 /p' | paste -sd';' | sed 's/;/; /g'; }

bench_summary() {
  local psnr
  printf '%.3f ms p50 by the device, %.3f p99; call %.3f ms p50, %.0f FPS; %.0f of %s splats visible, %.0f pairs, %.0f evaluations' \
    "$(json_value "$1" device_frame.p50_ms)" "$(json_value "$1" device_frame.p99_ms)" \
    "$(json_value "$1" frame.p50_ms)" "$(json_value "$1" frame.fps)" "$(json_value "$1" scene.visible)" \
    "$(json_value "$1" scene.splats)" "$(json_value "$1" scene.pairs)" "$(json_value "$1" scene.evaluations)"
  psnr=$(json_value "$1" psnr.least_db)
  [[ -z $psnr ]] || printf '; least PSNR to exact pictures %.1f dB' "$psnr"
}

train_summary() {
  local rate
  rate=$(json_value "$1" steps_per_s)
  printf '%.1f steps/s, %.1f s of training, %s splats; 30000 steps at this rate: %s s' "$rate" \
    "$(json_value "$1" training_seconds)" "$(json_value "$1" splats)" "$(awk -v rate="$rate" 'BEGIN { printf "%.0f", 30000 / rate }')"
}

# `target`: M samples/s of this training, or empty. Steps have at most `field_batch` samples.
field_run_summary() {
  local rate
  rate=$(json_value "$1" steps_per_s)
  printf '%.1f steps/s, %.1f M samples/s' "$rate" "$(awk -v rate="$rate" -v batch="$field_batch" 'BEGIN { print rate * batch / 1e6 }')"
  [[ -z $target ]] || printf '; target %s' "$target"
}

# `target`: ms, or empty.
field_frames_summary() {
  local stage
  printf '%.3f ms p50 by the device, %.3f p99; call %.3f ms p50; %.2f M samples' "$(json_value "$1" device_frame.p50_ms)" \
    "$(json_value "$1" device_frame.p99_ms)" "$(json_value "$1" frame.p50_ms)" \
    "$(awk -v all="$(json_value "$1" scene.evaluations)" 'BEGIN { print all / 1e6 }')"
  for stage in march encode network rest; do
    [[ -z $(json_value "$1" "stages.$stage.share") ]] ||
      printf ', %s %.0f %%' "$stage" "$(awk -v share="$(json_value "$1" "stages.$stage.share")" 'BEGIN { print 100 * share }')"
  done
  [[ -z $target ]] || printf '; target %s ms' "$target"
}

# `target`: tenths of a decibel.
field_quality_summary() {
  printf '%.2f dB after %.1f s of training; target %s.%s dB' "$(json_value "$1" final_eval.psnr)" \
    "$(json_value "$1" training_seconds)" "${target%?}" "${target: -1}"
}

# Combines all parts with results into one table and one JSON file, and packs all results.
report() {
  local name machine
  machine=$(sed -n 's/^| machine | devices | PASSED: \(.*\) | [0-9]* | [^|]*|$/\1/p' "$out/parts/machine.rows" 2>/dev/null || true)
  machine=${machine:-a machine that the part "machine" was not run on}
  {
    printf '{"machine": %s, "commit": %s, "architectures": %s, "date": "%s", "results": [\n' "$(json_string "$machine")" \
      "$(json_string "$commit")" "$(json_string "$architectures")" "$(date -u +%FT%TZ)"
    for name in "${all_parts[@]}"; do cat "$out/parts/$name.json" 2>/dev/null || true; done | sed '$d'
    printf ']}\n'
  } >"$out/report.json"
  {
    printf '%s. %s, commit %s, kernels for %s.\n\n' "$machine" "$(date -u +%F)" "$commit" "$architectures"
    printf '| part | what | result | s | command |\n|---|---|---|---|---|\n'
    for name in "${all_parts[@]}"; do cat "$out/parts/$name.rows" 2>/dev/null || true; done
  } >"$out/report.md"
  tar -C "$out" -czf "$out/results.tar.gz" --exclude='*.failed' report.md report.json parts
}
