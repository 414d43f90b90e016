# The commands live in .ci/run, so that what passes here passes there.

# Show what there is.
default:
    @just --list

# Everything that a change must pass, the tests last.
check:
    .ci/run

# Format the code.
fmt:
    cargo fmt --all

# The format, and clippy over every target; a warning is an error.
lint:
    .ci/run fmt lint

# The tests.
test:
    .ci/run test

# Build the library's pages, private items included.
docs:
    .ci/run docs

# Licences, sources and bans of the dependency tree.
deny:
    .ci/run deny

# The gate on our own suite: accept, check, plant a regression, see it blocked.
demo:
    .ci/run demo

# Hold the action and the workflows against zizmor and a validator.
workflows:
    .ci/run workflows
