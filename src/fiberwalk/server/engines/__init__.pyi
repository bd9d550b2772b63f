from .duckdb_engine import duckdb as duckdb
from .engine import Engine as Engine
from .engine import KeyFacts as KeyFacts
from .ibis_engine import ibis as ibis
