"""Doubles for tests and the conformance suite, public because authors of backends need them too."""

from memorycore.service.contract.bench import Surroundings
from memorycore.service.contract.suite import ColdStoreContract
from memorycore.service.contract.verdicts import ContractReport, Result, Verdict
from memorycore.testing.doubles import (
    FIRST_MOMENT,
    SEPARATOR,
    CountingIds,
    FakeClock,
    FaultyStore,
    HashEmbedder,
    InMemoryHotStore,
)
from memorycore.testing.store_wire import StoreWire, wire_of

__all__ = [
    "FIRST_MOMENT",
    "SEPARATOR",
    "ColdStoreContract",
    "ContractReport",
    "CountingIds",
    "FakeClock",
    "FaultyStore",
    "HashEmbedder",
    "InMemoryHotStore",
    "Result",
    "StoreWire",
    "Surroundings",
    "Verdict",
    "wire_of",
]
