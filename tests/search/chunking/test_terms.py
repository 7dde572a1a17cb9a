"""Under which terms a chunk is found, and what of it is embedded."""

from datetime import date

from everself.search.chunking.chunks import Chunk, chunk_document
from everself.search.chunking.marks import DATE, SPEAKER, TITLE
from everself.search.chunking.terms import BESIDE, embedding_texts, split_context, terms_of
from everself.text.search import index_terms


def chunks(path: str, text: str) -> tuple[Chunk, ...]:
    return chunk_document(path, text.encode())


def marked(mark: str, chunk: Chunk, path: str) -> set[str]:
    return {term[1:] for term in terms_of(chunk, path)[0] if term[0] == mark}


TALK = "memory/2023-05-08-lunch_break-notes.md"
SAID = "# Talk about holidays\n\n**Anna Lee:** Ben, where did you go?\n**Ben:** To Lisbon.\n**Anna Lee:** Nice!\n"


def test_a_chunk_is_found_under_its_words() -> None:
    path = "memory/tea.md"
    counts, length = terms_of(chunks(path, "Sencha tea, green tea.\n")[0], path)
    plain = index_terms("Sencha tea, green tea.")
    assert {term: count for term, count in counts.items() if term[0] >= " "} == plain.counts
    assert length == plain.length


def test_the_speaker_is_a_field_of_its_own_and_no_word_of_what_was_said() -> None:
    first, second, _ = chunks(TALK, SAID)
    counts, length = terms_of(first, TALK)
    assert marked(SPEAKER, first, TALK) == set(index_terms("Anna Lee").counts)
    assert marked(SPEAKER, second, TALK) == set(index_terms("Ben").counts)
    spoken = index_terms("Ben, where did you go?")
    assert {term for term in counts if term[0] >= " "} == set(spoken.counts)
    assert length == spoken.length


def test_titles_are_headings_and_the_file_name_without_its_date() -> None:
    chunk = chunks(TALK, SAID)[0]
    assert marked(TITLE, chunk, TALK) == set(index_terms("Talk about holidays lunch break notes").counts)


def test_a_date_in_a_heading_is_a_date_and_no_title() -> None:
    path = "CORRECTIONS.md"
    chunk = chunks(path, "## [09:30:00] correction on 2026-03-19\n\n- **Said:** a\n")[0]
    assert marked(TITLE, chunk, path) == set(index_terms("corrections correction on").counts)
    assert marked(DATE, chunk, path) == {"2026", "2026-03", "2026-03-19"}


def test_a_chunk_without_a_day_has_no_date() -> None:
    chunk = chunks("MEMORY.md", "Tea.\n")[0]
    assert chunk.day is None
    assert not marked(DATE, chunk, "MEMORY.md")


def test_a_day_is_found_by_year_month_and_day() -> None:
    chunk = chunks(TALK, SAID)[0]
    assert chunk.day == date(2023, 5, 8)
    assert marked(DATE, chunk, TALK) == {"2023", "2023-05", "2023-05-08"}


def test_marks_never_meet_words() -> None:
    chunk = chunks(TALK, "Ben \x01ben \x02talk \x03\n")[0]
    counts, _ = terms_of(chunk, TALK)
    assert not {term for term in counts if term[0] == SPEAKER}


def test_what_is_embedded_names_speaker_and_heading() -> None:
    found = chunks(TALK, SAID)
    assert "Talk about holidays\n" in embedding_texts(found)[1]
    assert "Ben: To Lisbon." in embedding_texts(found)[1]
    plain = chunks("memory/tea.md", "Likes sencha.\n")
    assert embedding_texts(plain) == ["Likes sencha."]


def test_a_turn_is_embedded_with_the_turns_beside_it_and_an_entry_alone() -> None:
    talk = chunks("memory/2026-03-19-talk.md", "**Ann:** One.\n**Ben:** Two.\n**Ann:** Three.\n**Ben:** Four.\n")
    weighed = [split_context(text) for text in embedding_texts(talk)]
    assert weighed[1] == [("Ben: Two.", 1.0), ("Ann: One.", BESIDE), ("Ann: Three.", BESIDE)]
    assert weighed[0] == [("Ann: One.", 1.0), ("Ben: Two.", BESIDE)]
    assert weighed[3] == [("Ben: Four.", 1.0), ("Ann: Three.", BESIDE)]
    notes = chunks("MEMORY.md", "- Likes sencha.\n- Lives in Oslo.\n")
    assert embedding_texts(notes) == ["Likes sencha.", "Lives in Oslo."]


def test_no_text_passes_for_a_neighbour() -> None:
    (text,) = embedding_texts(chunks("MEMORY.md", "- Likes \x1fsencha.\n"))
    assert split_context(text) == [("Likes  sencha.", 1.0)]


def test_the_same_words_in_two_files_are_embedded_once() -> None:
    text = "## Tea\n\n- Likes sencha. <!-- everself: id=7K3QX9M2ABC{} -->\n"
    first, second = (chunks(f"memory/2026-03-1{n}.md", text.format(n))[0] for n in (1, 2))
    assert embedding_texts([first]) == embedding_texts([second])
