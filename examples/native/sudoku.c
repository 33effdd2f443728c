// Solves a Sudoku by trying and taking back. One character is wrong: the check of a row does not
// look at its last cell, so that a row can get the same value twice. The program prints a “solution”.
//
//   cc -g -O0 sudoku.c -o sudoku
//   watchword debug -p sudoku.ww -s sudoku.scn -- ./sudoku

#include <stdio.h>
#include <string.h>

static int board[9][9];

static const char *puzzle =
    "53..7....6..195....98....6.8...6...34..8.3..17...2...6.6....28....419..5....8..79";

static int fits(int row, int column, int value) {
    for (int i = 0; i < 8; i++)  // The mutant: it should be 9.
        if (board[row][i] == value || board[i][column] == value) return 0;
    for (int r = row / 3 * 3; r < row / 3 * 3 + 3; r++)
        for (int c = column / 3 * 3; c < column / 3 * 3 + 3; c++)
            if (board[r][c] == value) return 0;
    return 1;
}

__attribute__((noinline)) void put(int row, int column, int value) {
    board[row][column] = value;
}

__attribute__((noinline)) void take_back(int row, int column, int value) {
    (void)value;
    board[row][column] = 0;
}

static int solve(int at) {
    while (at < 81 && board[at / 9][at % 9] != 0) at++;
    if (at == 81) return 1;
    int row = at / 9, column = at % 9;
    for (int value = 1; value <= 9; value++) {
        if (!fits(row, column, value)) continue;
        put(row, column, value);
        if (solve(at + 1)) return 1;
        take_back(row, column, value);
    }
    return 0;
}

int main(void) {
    for (int i = 0; i < 81; i++)
        if (puzzle[i] != '.') put(i / 9, i % 9, puzzle[i] - '0');
    int solved = solve(0);
    for (int i = 0; i < 81; i++) {
        putchar(board[i / 9][i % 9] ? '0' + board[i / 9][i % 9] : '.');
        if (i % 9 == 8) putchar('\n');
    }
    puts(solved ? "solved" : "no solution");
    return !solved;
}
