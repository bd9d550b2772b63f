"""A small town, a server of its tables, and a client of the service."""

from __future__ import annotations

import numpy as np
import pandas as pd

import fiberwalk as fw

READER, AUDITOR = "reader-of-the-town-1", "auditor-of-the-town-1"


def town(n=400, seed=1):
    random = np.random.default_rng(seed)
    people = pd.DataFrame(
        {
            "sex": random.choice(["f", "m"], n),
            "age": random.choice(["0-9", "10-19", "20-39", "40+"], n),
            "region": random.choice(["N=1", "S, far", "Ä"], n),
            "job": random.choice(list("xyz"), n),
            "pay": random.integers(100, 900, n),
        }
    )
    people["band"] = np.where(people["age"].isin(["0-9", "10-19"]), "young", "old")
    return people.join(fw.server.record_keys(people, seed=5))


def served(data=None, **options):
    options = {"mechanism": "random_round", "parameters": {"base": 3}, "seed": 4711, **options}
    data = town() if data is None else data
    return fw.server.TableServer(data, hierarchies={"age": ["band"]}, summed=["pay"], **options)


def client(server, **settings):
    """Of a service for everybody, unless the settings say otherwise."""
    from fastapi.testclient import TestClient

    return TestClient(fw.server.application(server, fw.server.ServiceSettings(**settings)))


def as_(token):
    return {"Authorization": f"Bearer {token}"}
