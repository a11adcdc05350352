"""What models want written before a text, by the cards of their authors."""

_SEARCH_SENTENCE = "Represent this sentence for searching relevant passages: "
_SEARCH_TASK = (
    "Instruct: Given a web search query, retrieve relevant passages that answer the query\nQuery: "
)
# From the model cards; the first mark found in the name counts.
_PREFIXES = (
    ("e5-large-instruct", _SEARCH_TASK, ""),
    ("e5-mistral", _SEARCH_TASK, ""),
    ("e5-small", "query: ", "passage: "),
    ("e5-base", "query: ", "passage: "),
    ("e5-large", "query: ", "passage: "),
    ("qwen3-embedding", _SEARCH_TASK, ""),
    ("nomic-embed-text", "search_query: ", "search_document: "),
    ("embeddinggemma", "task: search result | query: ", "title: none | text: "),
    ("arctic-embed-l-v2", "query: ", ""),
    ("arctic-embed-m-v2", "query: ", ""),
    ("arctic-embed2", "query: ", ""),
    ("arctic-embed", _SEARCH_SENTENCE, ""),
    ("mxbai-embed-large", _SEARCH_SENTENCE, ""),
    ("bge-small-en", _SEARCH_SENTENCE, ""),
    ("bge-base-en", _SEARCH_SENTENCE, ""),
    ("bge-large-en", _SEARCH_SENTENCE, ""),
)


def prefixes_of(model: str) -> tuple[str, str]:
    """The query and passage prefix that the authors of `model` prescribe, each often empty."""
    name = model.lower()
    for mark, query, passage in _PREFIXES:
        if mark in name:
            return query, passage
    return "", ""
