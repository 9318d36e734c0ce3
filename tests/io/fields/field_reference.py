"""Neural fields by the definitions of tiny-cuda-nn and instant-ngp, in double precision. Used by
snapshot_reference.py. It shares no code with Mote."""

import math

import numpy as np

SIDE = 128  # cells of a cascade, per axis
PRIMES = [1, 2654435761, 805459861, 3674653429]
INPUTS = {"nerf": 3, "sdf": 3, "image": 2, "volume": 3}
OUTPUTS = {"nerf": 16, "sdf": 1, "image": 3, "volume": 4}
LEAST_STEP, MOST_STEP = math.sqrt(3) / 1024, math.sqrt(3)


def padded(count):
    return (count + 15) // 16 * 16


class Grid:
    """A grid encoding of `dimensions` inputs."""

    def __init__(self, config, dimensions, finest):
        kind = {"densegrid": "dense", "tiledgrid": "tiled"}.get(config["otype"].lower(), "hash")
        self.kind = config.get("type", kind).lower()
        self.interpolation = config.get("interpolation", "Linear").lower()
        self.features = config.get("n_features_per_level", 2)
        levels, base = config.get("n_levels", 16), config.get("base_resolution", 16)
        growth = config.get("per_level_scale")
        if growth is None:
            growth = math.exp(math.log(finest / base) / (levels - 1))
        limit = 2 ** config.get("log2_hashmap_size", 19)
        log2_growth = np.log2(np.float32(growth))
        self.levels, first = [], 0
        for level in range(levels):
            scale = np.exp2(np.float32(level) * log2_growth) * np.float32(base) - np.float32(1)
            resolution = math.ceil(float(scale)) + 1
            entries = (resolution**dimensions + 7) // 8 * 8
            if self.kind == "hash":
                entries = min(entries, limit)
            if self.kind == "tiled":
                entries = min(entries, base**dimensions)
            self.levels.append((float(scale), resolution, first, entries))
            first += entries
        self.parameters = first * self.features
        self.outputs = levels * self.features
        self.dimensions = dimensions

    def entry(self, corner, resolution, entries):
        index, stride = 0, 1
        for c in corner:
            if stride > entries:
                break
            index, stride = index + c * stride, stride * resolution
        if self.kind == "hash" and resolution**self.dimensions > entries:
            index = 0
            for c, prime in zip(corner, PRIMES):
                index ^= c * prime & 0xFFFFFFFF
        return index % entries

    def evaluate(self, x, parameters):
        table = parameters.reshape(-1, self.features)
        out = []
        for scale, resolution, first, entries in self.levels:
            place = [scale * v + 0.5 for v in x]
            cell = [math.floor(p) for p in place]
            part = [p - c for p, c in zip(place, cell)]
            if self.interpolation == "smoothstep":
                part = [t * t * (3 - 2 * t) for t in part]
            if self.interpolation == "nearest":
                part = [0] * len(part)
            total = np.zeros(self.features)
            for corner in range(2**self.dimensions):
                bits = [corner >> d & 1 for d in range(self.dimensions)]
                weight = math.prod(t if b else 1 - t for t, b in zip(part, bits))
                at = self.entry([c + b for c, b in zip(cell, bits)], resolution, entries)
                total += weight * table[first + at]
            out.append(total)
        return np.concatenate(out)


class Spherical:
    """Real spherical harmonics of 2 x - 1, with the Condon-Shortley phase, from the definition."""

    parameters = 0

    def __init__(self, config):
        self.degree = config.get("degree", 4)
        self.outputs = self.degree**2

    def evaluate(self, x, _):
        d = 2 * np.asarray(x, float) - 1
        phi, z = math.atan2(d[1], d[0]), d[2]
        out = []
        for l in range(self.degree):
            for m in range(-l, l + 1):
                k = abs(m)
                ratio = math.factorial(l - k) / math.factorial(l + k)
                norm = math.sqrt((2 * l + 1) / (4 * math.pi) * ratio * (2 if k else 1))
                wave = math.sin(k * phi) if m < 0 else math.cos(k * phi)
                out.append(norm * wave * self.legendre(l, k, z))
        return np.array(out)

    @staticmethod
    def legendre(l, m, z):
        """The associated function P_l^m with the factor (-1)^m, from derivatives of (z^2 - 1)^l."""
        p = np.polynomial.Polynomial([-1, 0, 1]) ** l if l else np.polynomial.Polynomial([1.0])
        d = p.deriv(l + m) if l + m else p
        return (-1) ** m * (1 - z * z) ** (m / 2) * d(z) / (2**l * math.factorial(l))


class Constant:
    """An encoding of no inputs."""

    parameters = outputs = 0

    def evaluate(self, _x, _parameters):
        return np.zeros(0)


def encoding_of(config, inputs, finest):
    kind = config["otype"].lower()
    if kind == "composite":
        # Only one part may have inputs, as for a direction without latents.
        own = [part for part in config["nested"] if part.get("n_dims_to_encode", 0) == inputs]
        return encoding_of(own[0], inputs, finest)
    if "grid" in kind:
        return Grid(config, inputs, finest)
    if kind == "sphericalharmonics":
        return Spherical(config)
    if kind == "empty":
        return Constant()
    raise ValueError(f"this script has no encoding {kind}")


class Network:
    """Matrices [out][in] without biases."""

    def __init__(self, config, inputs, outputs):
        width, hidden = config["n_neurons"], config["n_hidden_layers"]
        sizes = [padded(inputs)] + [width] * hidden + [padded(outputs)]
        self.shapes = [(sizes[i + 1], sizes[i]) for i in range(len(sizes) - 1)]
        self.parameters = sum(rows * columns for rows, columns in self.shapes)
        self.activations = [config.get("activation", "ReLU")] * hidden
        self.activations.append(config.get("output_activation", "None"))
        self.outputs = outputs

    def evaluate(self, x, parameters):
        x = np.concatenate([x, np.zeros(self.shapes[0][1] - len(x))])
        for (rows, columns), activation in zip(self.shapes, self.activations):
            x = parameters[: rows * columns].reshape(rows, columns) @ x
            parameters = parameters[rows * columns :]
            x = {"None": lambda v: v, "ReLU": lambda v: np.maximum(v, 0)}[activation](x)
        return x[: self.outputs]


class Field:
    """A field of a configuration with "snapshot"."""

    def __init__(self, config):
        self.config, self.snapshot = config, config["snapshot"]
        self.mode = self.snapshot["mode"]
        nerf = self.snapshot.get("nerf", {})
        self.aabb_scale = nerf.get("aabb_scale", 1)
        self.cascades = 1 + int(math.log2(self.aabb_scale))
        self.hdr = nerf.get("dataset", {}).get("is_hdr", False)
        self.encoding = encoding_of(config["encoding"], INPUTS[self.mode], 2048 * self.aabb_scale)
        self.network = Network(config["network"], padded(self.encoding.outputs), OUTPUTS[self.mode])
        self.places = [("network", self.network.parameters)]
        if self.mode == "nerf":
            self.direction = encoding_of(config["dir_encoding"], 3, 0)
            self.color = Network(config["rgb_network"], 16 + padded(self.direction.outputs), 3)
            self.places.append(("color", self.color.parameters))
        self.places.append(("encoding", self.encoding.parameters))
        self.count = sum(count for _, count in self.places)

    def load(self):
        kind = {"__half": np.float16, "float": np.float32}[self.snapshot["params_type"]]
        self.values = np.frombuffer(self.snapshot["params_binary"], "<" + np.dtype(kind).str[1:])
        if len(self.values) != self.count or self.snapshot["n_params"] != self.count:
            raise ValueError(f"{len(self.values)} parameters, expected {self.count}")
        self.values, first = self.values.astype(float), 0
        self.parts = {}
        for name, count in self.places:
            self.parts[name] = self.values[first : first + count]
            first += count
        grid = np.frombuffer(self.snapshot.get("density_grid_binary", b""), "<f2").astype(float)
        self.grid = grid.reshape(-1, SIDE**3)

    def features(self, x):
        return self.encoding.evaluate(x, self.parts["encoding"])

    def raw(self, x):
        return self.network.evaluate(self.features(x), self.parts["network"])

    def direction_features(self, direction):
        """Of a direction of unit length. The encoding gets components from 0 to 1."""
        return self.direction.evaluate((np.asarray(direction, float) + 1) / 2, None)

    def raw_color(self, density, direction):
        """The padding of an encoding without a grid is 1."""
        features = self.direction_features(direction)
        padding = np.ones(padded(len(features)) - len(features))
        inputs = np.concatenate([density, features, padding])
        return self.color.evaluate(inputs, self.parts["color"])


def places_of_cells():
    """The Morton index of each cell, [x][y][z]."""
    axis = np.arange(SIDE)
    spread = sum((axis >> bit & 1) << 3 * bit for bit in range(7))
    return spread[:, None, None] | spread[None, :, None] << 1 | spread[None, None, :] << 2


class Occupancy:
    """Bits of each cascade, [cascade][x][y][z]: cells above min(0.01, mean of the first cascade),
    and those that contain an occupied cell of the next finer cascade. In the mean, cells that no
    camera sees (-1) count as 0."""

    def __init__(self, field):
        grid = field.grid[:, places_of_cells()]
        threshold = min(0.01, float(np.mean(np.maximum(grid[0], 0))))
        self.bits = grid > threshold
        quarter, half = SIDE // 4, SIDE // 2
        for c in range(1, len(self.bits)):
            pooled = self.bits[c - 1].reshape(half, 2, half, 2, half, 2).any(axis=(1, 3, 5))
            inner = slice(quarter, quarter + half)
            self.bits[c][inner, inner, inner] |= pooled

    def at(self, position, step):
        """Whether a sample is taken: by the finest cascade that contains the position and whose
        cells are at least twice the step."""
        reach = float(np.max(np.abs(position - 0.5)))
        cascade = 0 if reach == 0 else max(0, math.frexp(reach)[1] + 1)
        if step * 2 * SIDE >= 1:
            cascade = max(cascade, math.frexp(step * 2 * SIDE)[1])
        cascade = min(cascade, len(self.bits) - 1)
        cell = np.floor(((position - 0.5) / 2**cascade + 0.5) * SIDE).astype(int)
        if np.any(cell < 0) or np.any(cell >= SIDE):
            return False
        return bool(self.bits[cascade][tuple(cell)])


class Steps:
    """Distances along a ray by number: constant steps, or steps that grow with the distance between
    the least and the most."""

    def __init__(self, cone):
        self.rate = math.log1p(cone)
        if self.rate > 0:
            self.low, self.high = LEAST_STEP / self.rate, MOST_STEP / self.rate

    def number(self, t):
        if self.rate == 0:
            return t / LEAST_STEP
        if t <= self.low:
            return (t - self.low) / LEAST_STEP + math.log(self.low) / self.rate
        if t <= self.high:
            return math.log(t) / self.rate
        return (t - self.high) / MOST_STEP + math.log(self.high) / self.rate

    def distance(self, n):
        if self.rate == 0:
            return n * LEAST_STEP
        low, high = math.log(self.low) / self.rate, math.log(self.high) / self.rate
        if n <= low:
            return (n - low) * LEAST_STEP + self.low
        if n <= high:
            return math.exp(n * self.rate)
        return (n - high) * MOST_STEP + self.high


def span_in_box(origin, direction, box):
    """Distances at which the ray enters and leaves the box; it begins at 0."""
    low, high = 0.0, math.inf
    for axis in range(3):
        if direction[axis] == 0:
            if not box["min"][axis] <= origin[axis] <= box["max"][axis]:
                return 0.0, -1.0
            continue
        ends = sorted((box[end][axis] - origin[axis]) / direction[axis] for end in ("min", "max"))
        low, high = max(low, ends[0]), min(high, ends[1])
    return low, high


def pixel(field, occupancy, origin, direction, first_step=0.0, closed=False):
    """The colour of a ray over black. The first sample is `first_step` steps after the ray enters the
    render box, or after its origin; every further one is a whole number of steps behind it. Skipping
    empty space by whole steps finds the same samples. If `closed`, a ray that is ended early counts
    as opaque."""
    origin = np.asarray(origin, float)
    direction = np.asarray(direction, float) / np.linalg.norm(direction)
    steps = Steps(field.snapshot["nerf"].get("cone_angle_constant", 0))
    low, high = span_in_box(origin, direction, field.snapshot["render_aabb"])
    color, transmittance, samples, k = np.zeros(3), 1.0, 0, 0
    first = steps.number(low) + first_step if low < high else 0
    while low < high and samples < 1024:
        t = steps.distance(first + k)
        if t >= high:
            break
        step = steps.distance(first + k + 1) - t
        position = origin + t * direction
        k += 1
        if not occupancy.at(position, step):
            continue
        density = field.raw((position - 0.5) / field.aabb_scale + 0.5)
        raw = field.raw_color(density, direction)
        own = np.exp(np.clip(raw, -10, 10)) if field.hdr else 1 / (1 + np.exp(-raw))
        alpha = 1 - math.exp(-math.exp(density[0]) * step)
        color, transmittance = color + transmittance * alpha * own, transmittance * (1 - alpha)
        samples += 1
        if 1 - transmittance > 0.99:
            if closed:
                color, transmittance = color / (1 - transmittance), 0.0
            break
    return {"origin": list(origin), "direction": list(direction), "rgb": list(color),
            "alpha": 1 - transmittance, "samples": samples}
