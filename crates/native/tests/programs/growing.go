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

func main() {
	done := make(chan int)
	for i := 0; i < 3; i++ {
		go func() { done <- deep(300) }()
		<-done
	}
	fmt.Println(calls)
}
