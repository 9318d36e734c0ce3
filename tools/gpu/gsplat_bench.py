#!/usr/bin/env python3
"""Times gsplat on the scenes, cameras and photographs that tools/gpu_check.sh gives to Mote.

Needs PyTorch with CUDA and gsplat, installed or as a source tree (--gsplat). `frames` renders a .ply
from the cameras of a transforms.json: with rasterization(), packed and not, and with the inference
renderer if the tree has one. `train` runs the steps of 3DGS-MCMC at a constant number of splats.
Times are medians of CUDA events around each frame or step, after a warm-up. Prints one line and
writes JSON.

Written against gsplat's documented functions; not run so far.
"""

import argparse
import json
import math
import os
import statistics
import sys


def read_ply(path, torch):
    """Reads the stored values (logs and logits) of a binary little-endian 3DGS .ply."""
    with open(path, "rb") as file:
        names, count = [], 0
        for line in iter(file.readline, b"end_header\n"):
            words = line.decode().split()
            if words[:2] == ["element", "vertex"]:
                count = int(words[2])
            elif words[:1] == ["property"]:
                if words[1] != "float":
                    raise SystemExit(f"{path}: property {words[2]} is not a float")
                names.append(words[2])
        table = torch.frombuffer(bytearray(file.read(4 * count * len(names))), dtype=torch.float32)
    table = table.view(count, len(names))

    def columns(wanted):
        return table[:, [names.index(name) for name in wanted]]

    rest = sum(name.startswith("f_rest_") for name in names)
    # Coefficients are stored channel by channel.
    higher = columns([f"f_rest_{i}" for i in range(rest)]).view(count, 3, rest // 3).transpose(1, 2)
    return {
        "means": columns(["x", "y", "z"]),
        "scales": columns(["scale_0", "scale_1", "scale_2"]),
        "quats": columns(["rot_0", "rot_1", "rot_2", "rot_3"]),
        "opacities": columns(["opacity"])[:, 0],
        "sh0": columns(["f_dc_0", "f_dc_1", "f_dc_2"])[:, None, :],
        "shN": higher,
    }


def read_cameras(path, size, torch):
    """Reads world-to-camera matrices, intrinsics and file names; fits them to `size` as Mote does, if given."""
    with open(path) as file:
        data = json.load(file)
    cameras = []
    for frame in data["frames"]:
        value = lambda key: frame.get(key, data.get(key))
        width, height = size or (value("w"), value("h"))
        scale = min(width / value("w"), height / value("h"))
        pose = torch.tensor(frame["transform_matrix"], dtype=torch.float64)
        pose[:3, 1:3] *= -1  # OpenGL's axes to OpenCV's
        k = torch.eye(3)
        k[0, 0], k[1, 1] = scale * value("fl_x"), scale * value("fl_y")
        k[0, 2] = 0.5 * width + scale * (value("cx") - 0.5 * value("w"))
        k[1, 2] = 0.5 * height + scale * (value("cy") - 0.5 * value("h"))
        cameras.append((torch.linalg.inv(pose).float().cuda(), k.cuda(), width, height, frame["file_path"]))
    return cameras


def timed(torch, action, rounds, warmup):
    """Returns the milliseconds of each call action(i); i also counts the warm-up."""
    begin, end = torch.cuda.Event(enable_timing=True), torch.cuda.Event(enable_timing=True)
    times = []
    for i in range(warmup + rounds):
        begin.record()
        action(i)
        end.record()
        torch.cuda.synchronize()
        if i >= warmup:
            times.append(begin.elapsed_time(end))
    return {"median_ms": statistics.median(times), "mean_ms": statistics.fmean(times), "frames": len(times)}


def activated(splats, torch):
    cuda = {name: values.cuda() for name, values in splats.items()}
    return {
        "means": cuda["means"],
        "quats": torch.nn.functional.normalize(cuda["quats"], dim=-1),
        "scales": cuda["scales"].exp(),
        "opacities": cuda["opacities"].sigmoid(),
        "colors": torch.cat([cuda["sh0"], cuda["shN"]], dim=1).contiguous(),
    }


def sh_degree_of(splats):
    return math.isqrt(splats["shN"].shape[1] + 1) - 1


def inference_path(torch, scene, degree):
    """Returns a function of (camera) that renders with gsplat's inference renderer."""
    from gsplat.experimental import GaussianInferenceRenderer, GaussianInferenceScene

    packed = GaussianInferenceScene.from_gaussian_tensors(
        scene["means"], scene["quats"], scene["scales"], scene["opacities"], scene["colors"],
        sh_degree=degree, sh_compression="none", id="mote")
    renderer = GaussianInferenceRenderer(packed, tile_size=8)

    def render(camera):
        view, k, width, height, _ = camera
        renderer.render(viewmat=view, K=k, width=width, height=height)

    return render


def rasterization_path(scene, degree, packed):
    from gsplat import rasterization

    def render(camera):
        view, k, width, height, _ = camera
        rasterization(**scene, viewmats=view[None], Ks=k[None], width=width, height=height,
                      sh_degree=degree, packed=packed, render_mode="RGB")

    return render


def frames(options, torch):
    splats = read_ply(options.scene, torch)
    scene, degree = activated(splats, torch), sh_degree_of(splats)
    width, height = (int(side) for side in options.size.split("x"))
    cameras = read_cameras(options.cameras, (width, height), torch)
    makers = {
        "packed": lambda: rasterization_path(scene, degree, True),
        "unpacked": lambda: rasterization_path(scene, degree, False),
        "inference": lambda: inference_path(torch, scene, degree),
    }
    paths = {}
    for name, make in makers.items():
        try:
            with torch.inference_mode():
                torch.cuda.reset_peak_memory_stats()
                render = make()
                paths[name] = timed(torch, lambda i: render(cameras[i % len(cameras)]),
                                    options.frames * len(cameras), options.warmup * len(cameras))
                paths[name]["peak_memory_bytes"] = torch.cuda.max_memory_allocated()
        except Exception as error:  # a path that this tree lacks must not hide the others
            paths[name] = {"missing": f"{type(error).__name__}: {error}"[:300]}
    measured = {name: path["median_ms"] for name, path in paths.items() if "median_ms" in path}
    if not measured:
        raise SystemExit(f"no path of gsplat ran: {paths}")
    best = min(measured, key=measured.get)
    ours = ours_at(options.ours, ("device_frame", "p50_ms"))
    line = f"gsplat {', '.join(f'{name} {ms:.3f}' for name, ms in measured.items())} ms, medians by CUDA events"
    if ours:
        line += f"; Mote {ours:.3f} ms: {measured[best] / ours:.2f} times as fast as its best ({best})"
    return {"paths": paths, "best": best, "best_ms": measured[best], "mote_ms": ours}, line


def ours_at(path, keys):
    """Returns a number of Mote from the other part's file; None if that part did not run."""
    if not path or not os.path.exists(path):
        return None
    with open(path) as file:
        value = json.load(file)
    for key in keys:
        value = value[key]
    return value


def load_photograph(path, torch):
    try:
        from torchvision.io import read_image

        return read_image(path)[:3].permute(1, 2, 0)
    except ImportError:
        import numpy
        from PIL import Image

        return torch.from_numpy(numpy.array(Image.open(path).convert("RGB")))


def make_ssim(torch):
    """Returns SSIM from the fused package, as in gsplat's own trainer, or from convolutions without it."""
    try:
        from fused_ssim import fused_ssim

        return fused_ssim, "fused_ssim"
    except ImportError:
        pass
    taps = torch.exp(-((torch.arange(11, device="cuda") - 5.0) ** 2) / (2 * 1.5**2))
    window = torch.outer(taps, taps)[None, None].repeat(3, 1, 1, 1) / taps.sum() ** 2

    def blur(image):
        return torch.nn.functional.conv2d(image, window, groups=3)

    def ssim(a, b, padding="valid"):
        mean_a, mean_b = blur(a), blur(b)
        var_a, var_b = blur(a * a) - mean_a**2, blur(b * b) - mean_b**2
        cov = blur(a * b) - mean_a * mean_b
        c1, c2 = 0.01**2, 0.03**2
        return (((2 * mean_a * mean_b + c1) * (2 * cov + c2)) /
                ((mean_a**2 + mean_b**2 + c1) * (var_a + var_b + c2))).mean()

    return ssim, "convolutions of PyTorch"


RATES = {"means": 1.6e-4, "scales": 5e-3, "quats": 1e-3, "opacities": 5e-2, "sh0": 2.5e-3, "shN": 1.25e-4}


def train(options, torch):
    from gsplat import MCMCStrategy, rasterization

    splats = read_ply(options.scene, torch)
    degree = sh_degree_of(splats)
    cameras = read_cameras(os.path.join(options.data, "transforms.json"), None, torch)
    photographs = [load_photograph(os.path.join(options.data, camera[4]), torch).pin_memory() for camera in cameras]
    params = torch.nn.ParameterDict({name: torch.nn.Parameter(values.cuda().contiguous()) for name, values in splats.items()})
    optimizers = {name: torch.optim.Adam([{"params": params[name], "lr": rate, "name": name}], eps=1e-15, fused=True)
                  for name, rate in RATES.items()}
    strategy = MCMCStrategy(cap_max=len(splats["means"]))
    strategy.check_sanity(params, optimizers)
    state = strategy.initialize_state()
    ssim, ssim_kind = make_ssim(torch)

    def step(i):
        view, k, width, height, _ = cameras[i % len(cameras)]
        wanted = photographs[i % len(cameras)].cuda(non_blocking=True)[None].float() / 255
        image, _, info = rasterization(
            params["means"], params["quats"], params["scales"].exp(), params["opacities"].sigmoid(),
            torch.cat([params["sh0"], params["shN"]], dim=1), view[None], k[None], width, height,
            sh_degree=degree, packed=options.packed)
        likeness = ssim(image.permute(0, 3, 1, 2), wanted.permute(0, 3, 1, 2), padding="valid")
        loss = 0.8 * (image - wanted).abs().mean() + 0.2 * (1 - likeness)
        loss = loss + 0.01 * params["opacities"].sigmoid().mean() + 0.01 * params["scales"].exp().mean()
        loss.backward()
        for optimizer in optimizers.values():
            optimizer.step()
            optimizer.zero_grad(set_to_none=True)
        strategy.step_post_backward(params, optimizers, state, i, info, lr=RATES["means"])

    warmup = min(100, options.steps)
    result = timed(torch, step, options.steps, warmup)
    rate = 1000 / result["mean_ms"]
    result.update(steps_per_s=rate, splats=len(params["means"]), ssim=ssim_kind, packed=options.packed,
                  peak_memory_bytes=torch.cuda.max_memory_allocated(),
                  mote_steps_per_s=ours_at(options.ours, ("steps_per_s",)))
    line = f"gsplat {rate:.1f} steps/s, {result['splats']} splats, fused Adam, {ssim_kind}"
    if result["mote_steps_per_s"]:
        line += f"; Mote {result['mote_steps_per_s']:.1f}: {result['mote_steps_per_s'] / rate:.2f} times as many"
    return result, line


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("job", choices=["frames", "train"])
    parser.add_argument("--gsplat", help="its source tree; installed where not given")
    parser.add_argument("--scene", required=True, help="a 3DGS .ply")
    parser.add_argument("--json", required=True, help="the file to write")
    parser.add_argument("--ours", help="what Mote measured: JSON of mote bench, or stats.json of mote train")
    parser.add_argument("--cameras", help="frames: a transforms.json")
    parser.add_argument("--size", default="1920x1080", help="frames: WxH")
    parser.add_argument("--frames", type=int, default=20, help="frames of each camera")
    parser.add_argument("--warmup", type=int, default=5, help="frames of each camera before")
    parser.add_argument("--data", help="train: a folder with transforms.json and its photographs")
    parser.add_argument("--steps", type=int, default=2000, help="train")
    parser.add_argument("--packed", action="store_true", help="train by the packed path")
    options = parser.parse_args()
    if options.gsplat:
        sys.path.insert(0, options.gsplat)
    import torch

    result, line = (frames if options.job == "frames" else train)(options, torch)
    import gsplat

    result.update(gsplat=gsplat.__version__, torch=torch.__version__, gpu=torch.cuda.get_device_name())
    with open(options.json, "w") as file:
        json.dump(result, file, indent=2)
    print(line)


if __name__ == "__main__":
    main()
