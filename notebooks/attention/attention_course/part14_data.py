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

# BEGIN measured: benchmarks/results/decode-cuda.csv, put here by benchmarks/part14.py
DEVICE, DATE = "NVIDIA H200", "2026-11-26"
LAYER = "H = 32, d = 128, r = 512, bfloat16, 16 texts at once"
UNIT, CONTEXTS = "tokens a second", [1024, 2048, 4096, 8192, 16384, 32768, 65536, 131072]
SPEEDS = {
    "MHA": [126000, 86200, 52400, 29400, 15800, 8130, 4130, 2080],
    "GQA, G = 4": [240000, 206000, 159000, 108000, 71300, 42500, 23400, 12300],
    "GQA, G = 1": [255000, 229000, 211000, 166000, 128000, 83100, 49300, 26900],
    "MLA rebuilt": [49300, 27300, 14400, 7430, 3800, 1920, 971],
    "MLA reduced": [156000, 141000, 119000, 89300, 61600, 38200, 21700, 11700],
}
# END measured
