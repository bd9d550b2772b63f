"""The version of fiberwalk, said once: files that are saved name it, and so does the face."""

VERSION = "0.1.0"
