import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from memorycore.policy.structure import FORMS, forms_of


@pytest.mark.parametrize("name", FORMS)
@settings(max_examples=20)
@given(data=st.data())
def test_a_form_is_found_wherever_its_pattern_matches(name: str, data: st.DataObject) -> None:
    text = data.draw(st.from_regex(FORMS[name]))

    assert forms_of(text) == {
        f"form_{other}": float(form.search(text) is not None) for other, form in FORMS.items()
    }
