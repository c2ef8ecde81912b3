"""The names that a kernel's cells have as files, in place of ipykernel's, each of which takes as long as a short cell.

Like the zygote this file stands alone.
"""

import inspect
import os
import zlib

from ipykernel.compiler import XCachingCompiler, get_tmp_directory


class Compiler(XCachingCompiler):
    """Names cells by what they say, as ipykernel does, and remembers that they are no module's."""

    def get_code_name(self, raw_code: str, code: str, number: int) -> str:
        """The name of a cell's file, which is never written."""
        if "IPYKERNEL_CELL_NAME" in os.environ:
            return super().get_code_name(raw_code, code, number)
        name = os.path.join(get_tmp_directory(), f"{zlib.crc32(raw_code.encode())}.py")
        # For each line of a traceback `inspect` would look through all modules, and find that it is in none.
        inspect.modulesbyfile[name] = ""
        return name
