import pytest

from memorycore.policy.identifiers import find_identifiers, holds, plain


def named(query: str, text: str) -> bool:
    identifiers, _ = find_identifiers(query)
    assert identifiers, query
    return all(holds(plain(text), identifier) for identifier in identifiers)


@pytest.mark.parametrize(
    ("query", "text"),
    [
        ("mara@hale.org", "Invoice sent to MARA@HALE.ORG."),
        ("mara@hale.org的订单", "客户mara@hale.org下了订单"),
        ("mara@hale.org", '"mara"@hale.org is on the list'),
        ("phone 212-555-0188", "Call +1 (212) 555-0188 after six"),
        ("card 5500-0000-0000-0004", "card 5500000000000004"),
        ("token 7f3e9a10", "id 7f3e9a10-1b2c-4d5e-8f90-aabbccddeeff"),
        ("token 7f3e9a10-1b2c-4d5e-8f90-aabbccddeeff", "7f3e9a101b2c4d5e8f90aabbccddeeff"),
        ("key rk-77ab", "the key rk-77ab-live"),
        ("@kestrel-ops", "asked kestrel-ops to look"),
        ("PIN 4821", "The door's PIN is 4821."),
        ("shelf D6", "Shelf d6 is for spares"),
        ("ticket OPS-1182", "OPS-1182: pump replaced"),
    ],
)
def test_an_identifier_is_found_in_its_other_shapes(query: str, text: str) -> None:
    assert named(query, text)


@pytest.mark.parametrize(
    ("query", "text"),
    [
        ("mara@hale.org", "mara.voss@hale.org"),
        ("mara@hale.org", "mara@hale.org.uk"),
        ("inv_2025_004", "inv_2025_0041"),
        ("case 45120", "case 451201"),
        ("key rk-77ab", "the key rk-77abc"),
        ("shelf D6", "shelf D60"),
        ("PIN 4821", "14821 visitors"),
        ("host db1.lan", "host db1.lan.example"),
    ],
)
def test_an_identifier_is_not_found_inside_a_longer_one(query: str, text: str) -> None:
    assert not named(query, text)


@pytest.mark.parametrize(
    "query", ["party in 2024", "the 4th floor", "a run of 10km", "no numbers at all", "版本"]
)
def test_years_measures_and_plain_words_are_no_identifiers(query: str) -> None:
    assert find_identifiers(query)[0] == ()
