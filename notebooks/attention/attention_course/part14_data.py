"""What part 14's figure draws: published models' sizes, and one step of generation as it was measured."""

# name, layers, H, G (None where the model uses MLA), d, r and rotary key (0 where it does not), source
MODELS = [
    ("LLaMA 7B", 32, 32, 32, 128, 0, 0, "arXiv:2302.13971"),
    ("Mistral 7B", 32, 32, 8, 128, 0, 0, "arXiv:2310.06825"),
    ("Llama 2 70B", 80, 64, 8, 128, 0, 0, "arXiv:2307.09288"),
    ("Llama 3 405B", 126, 128, 8, 128, 0, 0, "arXiv:2407.21783"),
    ("DeepSeek-V2 236B", 60, 128, None, 128, 512, 64, "arXiv:2405.04434"),
    ("DeepSeek-V3 671B", 61, 128, None, 128, 512, 64, "arXiv:2412.19437"),
]

# BEGIN measured: benchmarks/results/decode-cpu.csv, put here by benchmarks/part14.py
DEVICE, DATE = "CPU (x86_64, one thread)", "2026-11-21"
LAYER = "H = 16, d = 64, r = 128, float32"
UNIT, CONTEXTS = "speed (MHA at 1k = 1)", [1024, 2048, 4096, 8192, 16384]
SPEEDS = {
    "MHA": [1.0, 0.668, 0.497, 0.373, 0.206],
    "GQA, G = 4": [1.56, 1.13, 0.784, 0.571, 0.332],
    "GQA, G = 1": [3.06, 2.53, 1.38, 1.2, 0.782],
    "MLA rebuilt": [0.234, 0.121, 0.0604, 0.0308, 0.0103],
    "MLA reduced": [1.34, 1.12, 0.876, 0.691, 0.44],
}
# END measured
