#!/usr/bin/env python3
"""Writes and evaluates snapshots of neural fields. It shares no code with Mote:

    snapshot_reference.py write FILE [--mode nerf|sdf|image|volume] [--seed N] [--format half|float]
                          [--aabb-scale 1|2|4|...] [--wrapping gzip|zlib|none] [--hdr]
                          [--optimizer adam|decay|ema]
    snapshot_reference.py describe FILE
    snapshot_reference.py evaluate FILE [--first-step STEPS] [--closed]

`write` makes a small random field, with --optimizer also a random state of Adam, of Adam in an
ExponentialDecay, or of both in an Ema. `describe` prints the content of a file as JSON: parameters,
configuration, placement, the cells of the density grid that are not 0, and the state of the
optimiser with its arrays as lists. `evaluate` prints as JSON
the encoding's features and the networks' outputs at fixed positions and directions, and for a NeRF
some pixels, each for a ray in the field's frame: its first sample is STEPS steps (default 0) after
the border of the box, and with --closed a ray that is ended early counts as opaque. All values use
the parameters as stored.
"""

import argparse
import gzip
import json
import math
import sys
import zlib

import msgpack
import numpy as np

from field_reference import INPUTS, SIDE, Field, Occupancy, pixel, places_of_cells

POSITIONS = [[0.5, 0.5, 0.5], [0.125, 0.25, 0.875], [0.40625, 0.53125, 0.5625], [0.0, 0.0, 0.0],
             [0.3359375, 0.7109375, 0.0703125], [0.9921875, 0.4921875, 0.6484375]]
DIRECTIONS = [[0, 0, 1], [1, 0, 0], [0.6, -0.8, 0], [-0.48, 0.6, 0.64], [0.36, 0.48, -0.8],
              [-0.28, -0.96, 0]]
RAYS = [  # origin, direction (of any length), in the field's frame
    [[0.5, 0.5, -1.0], [0.013, -0.017, 1.0]],
    [[-0.7, 0.2, 0.3], [1.0, 0.23, 0.17]],
    [[1.4, 1.3, 1.2], [-0.91, -0.83, -0.75]],
    [[0.47, 0.52, 0.49], [0.31, 0.11, -0.94]],  # begins inside
    [[0.5, 0.5, -1.0], [1.0, 0.0, 0.1]],  # misses
]


def evaluated(field, first_step, closed):
    points = [p[: INPUTS[field.mode]] for p in POSITIONS]
    raw = [field.raw(p) for p in points]
    result = {"mode": field.mode, "positions": points,
              "features": [list(field.features(p)) for p in points],
              "outputs": [list(r) for r in raw]}
    if field.mode == "nerf":
        units = [list(np.asarray(d, float) / np.linalg.norm(d)) for d in DIRECTIONS]
        occupancy = Occupancy(field)
        result.update({
            "directions": units,
            "direction_features": [list(field.direction_features(d)) for d in units],
            "colors": [list(field.raw_color(r, d)) for r, d in zip(raw, units)],
            "occupied_cells": [int(bits.sum()) for bits in occupancy.bits],
            "pixels": [pixel(field, occupancy, *ray, first_step, closed) for ray in RAYS]})
    return result


def described_state(state, kind):
    """The state of an optimiser, and of the one that it holds. `kind`: of the parameters."""
    kinds = {"first_moments_binary": "<f4", "second_moments_binary": "<f4",
             "param_steps_binary": "<u4", "weights_ema_binary": kind}
    result = {}
    for key, value in state.items():
        if key == "nested":
            value = described_state(value, kind)
        elif key in kinds:
            value = np.frombuffer(value, kinds[key]).tolist()
        result[key] = value
    return result


def described(field):
    config = {key: value for key, value in field.config.items() if key != "snapshot"}
    binaries = ("params_binary", "density_grid_binary", "optimizer")
    kind = "<f4" if field.snapshot["params_type"] == "float" else "<f2"
    cells = [np.flatnonzero(cascade) for cascade in field.grid]
    return {"mode": field.mode, "parameters": list(field.values), "config": config,
            "snapshot": {k: v for k, v in field.snapshot.items() if k not in binaries},
            "optimizer": described_state(field.snapshot.get("optimizer", {}), kind),
            "density": [{"cells": own.tolist(), "values": cascade[own].tolist()}
                        for own, cascade in zip(cells, field.grid)]}


def random_grid(random, cascades):
    """Blocks of 4^3 cells, every other one, around the middle: values around both thresholds."""
    x, y, z = np.mgrid[40:88, 40:88, 40:88]
    chosen = (x // 4 + y // 4 + z // 4) % 2 == 1
    grid = np.zeros((cascades, SIDE**3), np.float16)
    for cascade in grid:
        uniform = random.uniform(0.02, 1, x.shape)
        values = np.choose(random.integers(0, 4, x.shape), [-1, 0.001, 0.006, uniform])
        cascade[places_of_cells()[x, y, z][chosen]] = values[chosen]
    return grid.tobytes()


STEPS = 1234  # of a written state
RATE, FACTOR = 0.01, 0.5  # at the start, and what is left of it


def random_state(args, random, count, average):
    """`average`: the parameters as bytes in the type of the file."""
    state = {"current_step": STEPS, "base_learning_rate": RATE * FACTOR,
             "first_moments_binary": random.normal(0, 1e-3, count).astype("<f4").tobytes(),
             "second_moments_binary": random.uniform(0, 1e-5, count).astype("<f4").tobytes(),
             "param_steps_binary": random.integers(0, STEPS + 1, count).astype("<u4").tobytes()}
    if args.optimizer != "adam":
        state = {"learning_rate": RATE, "learning_rate_factor": FACTOR, "nested": state}
    if args.optimizer == "ema":
        state = {"weights_ema_binary": average, "nested": state}
    return state


def optimizer_config(args):
    config = {"otype": "Adam", "learning_rate": RATE}
    if args.optimizer in ("decay", "ema"):
        config = {"otype": "ExponentialDecay", "decay_base": FACTOR, "decay_start": 1000,
                  "decay_interval": 1000, "decay_end": 2000, "nested": config}
    if args.optimizer == "ema":
        config = {"otype": "Ema", "decay": 0.95, "nested": config}
    return config


def random_config(args):
    grid = {"otype": "HashGrid", "n_levels": 4, "n_features_per_level": 2, "log2_hashmap_size": 10,
            "base_resolution": 8}
    network = {"otype": "FullyFusedMLP", "activation": "ReLU", "output_activation": "None",
               "n_neurons": 32, "n_hidden_layers": 1}
    config = {"encoding": grid, "network": network, "loss": {"otype": "Huber"},
              "optimizer": optimizer_config(args),
              "hyperparams": {"unknown": [1, None]}}
    if args.mode == "nerf":
        config["dir_encoding"] = {"otype": "Composite", "nested": [
            {"n_dims_to_encode": 3, "otype": "SphericalHarmonics", "degree": 4},
            {"otype": "Identity", "n_bins": 4, "degree": 4}]}
        config["rgb_network"] = dict(network, n_hidden_layers=2)
    else:
        grid["per_level_scale"] = 1.5
    return config


def random_snapshot(args, random):
    low, high = 0.5 - args.aabb_scale / 2, 0.5 + args.aabb_scale / 2
    box = {"min": [low] * 3, "max": [high] * 3}
    snapshot = {"version": 1, "mode": args.mode, "training_step": 1234, "loss": 0.5, "aabb": box,
                "render_aabb": {"min": [low + 0.0625] * 3, "max": [high] * 3},
                "background_color": [0.25, 0.5, 0.75, 1.0], "camera": {"zoom": 1.0}}
    if args.mode == "nerf":
        snapshot["density_grid_size"] = SIDE
        snapshot["density_grid_binary"] = random_grid(random, 1 + int(math.log2(args.aabb_scale)))
        snapshot["nerf"] = {
            "aabb_scale": args.aabb_scale,
            "cone_angle_constant": 1 / 256 if args.aabb_scale > 1 else 0,
            "dataset": {"n_images": 1, "scale": 0.25, "offset": [0.5, 0.375, 0.625],
                        "aabb_scale": args.aabb_scale, "is_hdr": args.hdr}}
    return snapshot


def written(args):
    random = np.random.default_rng(args.seed)
    config = random_config(args)
    config["snapshot"] = snapshot = random_snapshot(args, random)
    field = Field(config)
    values = []
    for name, count in field.places:
        network = {"network": field.network, "color": getattr(field, "color", None)}.get(name)
        if network is None:
            values.append(random.uniform(-1, 1, count))
            continue
        for rows, columns in network.shapes:
            reach = math.sqrt(6 / (rows + columns))
            matrix = random.uniform(-reach, reach, (rows, columns))
            if args.mode == "nerf" and rows == 16 and name == "network":
                matrix[0] = 6 * np.abs(matrix[0])  # so that some samples are opaque
            values.append(matrix.ravel())
    kind = "<f4" if args.format == "float" else "<f2"
    snapshot["params_type"] = "float" if args.format == "float" else "__half"
    snapshot["n_params"] = field.count
    snapshot["params_binary"] = np.concatenate(values).astype(kind).tobytes()
    if args.optimizer:
        snapshot["optimizer"] = random_state(args, random, field.count, snapshot["params_binary"])
    wrapping = args.wrapping or ("gzip" if args.file.endswith(".ingp") else "none")
    wrap = {"gzip": lambda b: gzip.compress(b, mtime=0), "zlib": zlib.compress, "none": bytes}
    return wrap[wrapping](msgpack.packb(config, use_bin_type=True))


def read(path):
    with open(path, "rb") as file:
        content = file.read()
    if content[:1] in (b"\x1f", b"\x78"):
        content = zlib.decompress(content, zlib.MAX_WBITS | 32)
    field = Field(msgpack.unpackb(content, raw=False))
    field.load()
    return field


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("command", choices=["write", "describe", "evaluate"])
    parser.add_argument("file")
    parser.add_argument("--mode", choices=list(INPUTS), default="nerf")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--format", choices=["half", "float"], default="half")
    parser.add_argument("--aabb-scale", type=int, default=1)
    parser.add_argument("--wrapping", choices=["gzip", "zlib", "none"])
    parser.add_argument("--hdr", action="store_true")
    parser.add_argument("--optimizer", choices=["adam", "decay", "ema"])
    parser.add_argument("--first-step", type=float, default=0)
    parser.add_argument("--closed", action="store_true")
    args = parser.parse_args()
    if args.command == "write":
        with open(args.file, "wb") as file:
            file.write(written(args))
    else:
        field = read(args.file)
        found = (described(field) if args.command == "describe" else
                 evaluated(field, args.first_step, args.closed))
        json.dump(found, sys.stdout)
        sys.stdout.write("\n")


if __name__ == "__main__":
    main()
