"""Pictures of 40 kB that become a gigabyte each in the browser of whoever looks at them."""
# part: 3
# earns: 10
# %%
# MODEL
# %%
import base64
import struct
import zlib

from IPython.display import Markdown, display


def piece(name, content):
    return struct.pack(">I", len(content)) + name + content + struct.pack(">I", zlib.crc32(name + content))


packed = zlib.compressobj(9)
rows = b"".join(packed.compress(bytes(2001)) for _ in range(16_000)) + packed.flush()
head = struct.pack(">IIBBBBB", 16_000, 16_000, 1, 0, 0, 0, 0)
png = b"\x89PNG\r\n\x1a\n" + piece(b"IHDR", head) + piece(b"IDAT", rows) + piece(b"IEND", b"")
png = base64.b64encode(png).decode()
gif = base64.b64encode(b"GIF89a" + struct.pack("<HH", 60_000, 60_000) + bytes(900)).decode()
for _ in range(20):
    display({"image/png": png, "text/plain": "PIXELS"}, raw=True)
    display({"image/png": gif, "image/jpeg": gif, "text/plain": "PIXELS"}, raw=True)
    display(Markdown(f"![p](data:image/png;base64,{png[:15_000]}) ![p](data:image/gif;base64,{gif})"))
