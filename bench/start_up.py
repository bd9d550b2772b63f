"""How long a newcomer waits: `fiberwalk --help`, `import fiberwalk`, and the first audit with and without compiled kernels.

python bench/start_up.py
"""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
import time

STEPS = {
    "fiberwalk --help": "from fiberwalk.command_line import main; main(['--help'])",
    "import fiberwalk": "import fiberwalk",
    "first audit": "import fiberwalk as fw; fw.audit(fw.publish([[1, 2], [3, 4]], ['A', 'B'])).cells",
}


def seconds(code: str, cache: str) -> float:
    begin = time.perf_counter()
    environment = {**os.environ, "FIBERWALK_CACHE_DIR": cache}
    subprocess.run([sys.executable, "-c", code], check=True, capture_output=True, env=environment)
    return time.perf_counter() - begin


def main() -> None:
    with tempfile.TemporaryDirectory() as cache:
        print(f"first audit ever, kernels compiled   {seconds(STEPS['first audit'], cache):6.2f} s")
        for name, code in STEPS.items():
            print(f"{name + ', best of 5':36} {min(seconds(code, cache) for _ in range(5)):6.2f} s")


if __name__ == "__main__":
    main()
