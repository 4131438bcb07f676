package vfs

import "github.com/sqlstream/sqlstream/exec/mutant"

// mutantNoDirSync is the deliberate bug "directories are never synced".
func mutantNoDirSync() bool { return mutant.On("no-dir-sync") }
