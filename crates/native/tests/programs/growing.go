// Goroutines whose stacks grow in the middle of calls.
package main

import "fmt"

var calls int

//go:noinline
func deep(n int) int {
	var room [40]int
	calls++
	if n == 0 {
		return 0
	}
	room[n%40] = deep(n - 1)
	return room[n%40] + 1
}

// Its fields are in four registers, with space between them in memory.
type place struct {
	x    int32
	y    float64
	name string
}

//go:noinline
func put(p place) place {
	p.x++
	return p
}

// Nine numbers are in registers; what follows is on the stack.
//
//go:noinline
func many(a, b, c, d, e, f, g, h, i int, flag bool, first string, list []int, last string) int {
	return a + b + c + d + e + f + g + h + i + len(first) + len(list) + len(last)
}

func main() {
	many(1, 2, 3, 4, 5, 6, 7, 8, 9, true, "first", []int{5, 6, 7}, "last one")
	put(place{4, 1.5, "here"})
	done := make(chan int)
	for i := 0; i < 3; i++ {
		go func() { done <- deep(300) }()
		<-done
	}
	fmt.Println(calls)
}
