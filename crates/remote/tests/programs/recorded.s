	.file	"recorded.c"
	.text
.Ltext0:
	.file 0 "/recorded" "recorded.c"
	.type	call, @function
call:
.LFB0:
	.file 1 "recorded.c"
	.loc 1 6 55
	.cfi_startproc
	pushq	%rbp
	.cfi_def_cfa_offset 16
	.cfi_offset 6, -16
	movq	%rsp, %rbp
	.cfi_def_cfa_register 6
	movq	%rdi, -24(%rbp)
	movq	%rsi, -32(%rbp)
	movq	%rdx, -40(%rbp)
	movq	%rcx, -48(%rbp)
	.loc 1 8 5
	movq	-24(%rbp), %rax
	movq	-32(%rbp), %rdi
	movq	-40(%rbp), %rsi
	movq	-48(%rbp), %rdx
#APP
# 8 "recorded.c" 1
	syscall
# 0 "" 2
#NO_APP
	movq	%rax, -8(%rbp)
	.loc 1 9 12
	movq	-8(%rbp), %rax
	.loc 1 10 1
	popq	%rbp
	.cfi_def_cfa 7, 8
	ret
	.cfi_endproc
.LFE0:
	.size	call, .-call
	.local	shared
	.comm	shared,40,32
	.globl	total
	.bss
	.align 4
	.type	total, @object
	.size	total, 4
total:
	.zero	4
	.text
	.globl	queue_new
	.type	queue_new, @function
queue_new:
.LFB1:
	.loc 1 21 65
	.cfi_startproc
	pushq	%rbp
	.cfi_def_cfa_offset 16
	.cfi_offset 6, -16
	movq	%rsp, %rbp
	.cfi_def_cfa_register 6
	movl	%edi, -4(%rbp)
	.loc 1 22 21
	movl	-4(%rbp), %eax
	movl	%eax, shared(%rip)
	.loc 1 23 12
	movl	$shared, %eax
	.loc 1 24 1
	popq	%rbp
	.cfi_def_cfa 7, 8
	ret
	.cfi_endproc
.LFE1:
	.size	queue_new, .-queue_new
	.globl	queue_push
	.type	queue_push, @function
queue_push:
.LFB2:
	.loc 1 26 70
	.cfi_startproc
	pushq	%rbp
	.cfi_def_cfa_offset 16
	.cfi_offset 6, -16
	movq	%rsp, %rbp
	.cfi_def_cfa_register 6
	movq	%rdi, -8(%rbp)
	movl	%esi, -12(%rbp)
	.loc 1 27 15
	movq	-8(%rbp), %rax
	movl	4(%rax), %eax
	.loc 1 27 22
	leal	1(%rax), %ecx
	movq	-8(%rbp), %rdx
	movl	%ecx, 4(%rdx)
	.loc 1 27 26
	movq	-8(%rbp), %rdx
	cltq
	movl	-12(%rbp), %ecx
	movl	%ecx, 8(%rdx,%rax,4)
	.loc 1 28 11
	movl	total(%rip), %edx
	movl	-12(%rbp), %eax
	addl	%edx, %eax
	movl	%eax, total(%rip)
	.loc 1 29 1
	nop
	popq	%rbp
	.cfi_def_cfa 7, 8
	ret
	.cfi_endproc
.LFE2:
	.size	queue_push, .-queue_push
	.globl	queue_pop
	.type	queue_pop, @function
queue_pop:
.LFB3:
	.loc 1 31 58
	.cfi_startproc
	pushq	%rbp
	.cfi_def_cfa_offset 16
	.cfi_offset 6, -16
	movq	%rsp, %rbp
	.cfi_def_cfa_register 6
	movq	%rdi, -8(%rbp)
	.loc 1 32 24
	movq	-8(%rbp), %rax
	movl	4(%rax), %eax
	.loc 1 32 21
	leal	-1(%rax), %edx
	.loc 1 32 20
	movq	-8(%rbp), %rax
	movl	%edx, 4(%rax)
	.loc 1 32 24
	movq	-8(%rbp), %rax
	movl	4(%rax), %edx
	.loc 1 32 20
	movq	-8(%rbp), %rax
	movslq	%edx, %rdx
	movl	8(%rax,%rdx,4), %eax
	.loc 1 33 1
	popq	%rbp
	.cfi_def_cfa 7, 8
	ret
	.cfi_endproc
.LFE3:
	.size	queue_pop, .-queue_pop
	.section	.rodata
.LC0:
	.string	"all done\n"
	.text
	.globl	begin
	.type	begin, @function
begin:
.LFB4:
	.loc 1 35 40
	.cfi_startproc
	pushq	%rbp
	.cfi_def_cfa_offset 16
	.cfi_offset 6, -16
	movq	%rsp, %rbp
	.cfi_def_cfa_register 6
	subq	$16, %rsp
	.loc 1 36 23
	movl	$3, %edi
	call	queue_new
	movq	%rax, -16(%rbp)
.LBB2:
	.loc 1 37 14
	movl	$0, -4(%rbp)
	.loc 1 37 5
	jmp	.L9
.L11:
	.loc 1 38 9
	movl	-4(%rbp), %edx
	movq	-16(%rbp), %rax
	movl	%edx, %esi
	movq	%rax, %rdi
	call	queue_push
	.loc 1 39 13
	movl	-4(%rbp), %eax
	andl	$1, %eax
	.loc 1 39 12
	testl	%eax, %eax
	je	.L10
	.loc 1 39 20 discriminator 1
	movq	-16(%rbp), %rax
	movq	%rax, %rdi
	call	queue_pop
.L10:
	.loc 1 37 29 discriminator 2
	addl	$1, -4(%rbp)
.L9:
	.loc 1 37 23 discriminator 1
	cmpl	$6, -4(%rbp)
	jle	.L11
.LBE2:
	.loc 1 41 5
	movl	$.LC0, %eax
	movl	$9, %ecx
	movq	%rax, %rdx
	movl	$1, %esi
	movl	$1, %edi
	call	call
	.loc 1 42 5
	movl	$0, %ecx
	movl	$0, %edx
	movl	$4, %esi
	movl	$231, %edi
	call	call
.L12:
	.loc 1 43 5 discriminator 1
	jmp	.L12
	.cfi_endproc
.LFE4:
	.size	begin, .-begin
#APP
	.lcomm stack, 65536
.globl _start
.type _start, @function
_start:
lea stack+65536(%rip), %rsp
xor %ebp, %ebp
call begin
.size _start, .-_start

.Letext0:
	.section	.debug_info,"",@progbits
.Ldebug_info0:
	.long	0x1f6
	.value	0x5
	.byte	0x1
	.byte	0x8
	.long	.Ldebug_abbrev0
	.uleb128 0x8
	.long	.LASF15
	.byte	0x1d
	.long	.LASF0
	.long	.LASF1
	.quad	.Ltext0
	.quad	.Letext0-.Ltext0
	.long	.Ldebug_line0
	.uleb128 0x9
	.long	.LASF16
	.byte	0x28
	.byte	0x1
	.byte	0xc
	.byte	0x8
	.long	0x5d
	.uleb128 0x2
	.long	.LASF2
	.byte	0xd
	.long	0x5d
	.byte	0
	.uleb128 0x2
	.long	.LASF3
	.byte	0xe
	.long	0x5d
	.byte	0x4
	.uleb128 0x2
	.long	.LASF4
	.byte	0xf
	.long	0x69
	.byte	0x8
	.byte	0
	.uleb128 0xa
	.byte	0x4
	.byte	0x5
	.string	"int"
	.uleb128 0xb
	.long	0x5d
	.uleb128 0xc
	.long	0x5d
	.long	0x79
	.uleb128 0xd
	.long	0x79
	.byte	0x7
	.byte	0
	.uleb128 0x4
	.byte	0x7
	.long	.LASF5
	.uleb128 0x5
	.long	.LASF6
	.byte	0x12
	.byte	0x15
	.long	0x2e
	.uleb128 0x9
	.byte	0x3
	.quad	shared
	.uleb128 0xe
	.long	.LASF17
	.byte	0x1
	.byte	0x13
	.byte	0xe
	.long	0x64
	.uleb128 0x9
	.byte	0x3
	.quad	total
	.uleb128 0xf
	.long	.LASF7
	.byte	0x1
	.byte	0x23
	.byte	0x1c
	.quad	.LFB4
	.quad	.LFE4-.LFB4
	.uleb128 0x1
	.byte	0x9c
	.long	0xf3
	.uleb128 0x6
	.string	"q"
	.byte	0x24
	.byte	0x13
	.long	0xf3
	.uleb128 0x2
	.byte	0x91
	.sleb128 -32
	.uleb128 0x10
	.quad	.LBB2
	.quad	.LBE2-.LBB2
	.uleb128 0x6
	.string	"i"
	.byte	0x25
	.byte	0xe
	.long	0x5d
	.uleb128 0x2
	.byte	0x91
	.sleb128 -20
	.byte	0
	.byte	0
	.uleb128 0x11
	.byte	0x8
	.long	0x2e
	.uleb128 0x7
	.long	.LASF10
	.byte	0x1f
	.byte	0x1f
	.long	0x5d
	.quad	.LFB3
	.quad	.LFE3-.LFB3
	.uleb128 0x1
	.byte	0x9c
	.long	0x127
	.uleb128 0x1
	.string	"q"
	.byte	0x1f
	.byte	0x37
	.long	0xf3
	.uleb128 0x2
	.byte	0x91
	.sleb128 -24
	.byte	0
	.uleb128 0x12
	.long	.LASF8
	.byte	0x1
	.byte	0x1a
	.byte	0x20
	.quad	.LFB2
	.quad	.LFE2-.LFB2
	.uleb128 0x1
	.byte	0x9c
	.long	0x160
	.uleb128 0x1
	.string	"q"
	.byte	0x1a
	.byte	0x39
	.long	0xf3
	.uleb128 0x2
	.byte	0x91
	.sleb128 -24
	.uleb128 0x3
	.long	.LASF9
	.byte	0x1a
	.byte	0x40
	.long	0x5d
	.uleb128 0x2
	.byte	0x91
	.sleb128 -28
	.byte	0
	.uleb128 0x7
	.long	.LASF11
	.byte	0x15
	.byte	0x29
	.long	0xf3
	.quad	.LFB1
	.quad	.LFE1-.LFB1
	.uleb128 0x1
	.byte	0x9c
	.long	0x190
	.uleb128 0x3
	.long	.LASF2
	.byte	0x15
	.byte	0x37
	.long	0x5d
	.uleb128 0x2
	.byte	0x91
	.sleb128 -20
	.byte	0
	.uleb128 0x13
	.long	.LASF18
	.byte	0x1
	.byte	0x6
	.byte	0xd
	.long	0x1f3
	.quad	.LFB0
	.quad	.LFE0-.LFB0
	.uleb128 0x1
	.byte	0x9c
	.long	0x1f3
	.uleb128 0x3
	.long	.LASF12
	.byte	0x6
	.byte	0x17
	.long	0x1f3
	.uleb128 0x2
	.byte	0x91
	.sleb128 -40
	.uleb128 0x1
	.string	"a"
	.byte	0x6
	.byte	0x24
	.long	0x1f3
	.uleb128 0x2
	.byte	0x91
	.sleb128 -48
	.uleb128 0x1
	.string	"b"
	.byte	0x6
	.byte	0x2c
	.long	0x1f3
	.uleb128 0x2
	.byte	0x91
	.sleb128 -56
	.uleb128 0x1
	.string	"c"
	.byte	0x6
	.byte	0x34
	.long	0x1f3
	.uleb128 0x2
	.byte	0x91
	.sleb128 -64
	.uleb128 0x5
	.long	.LASF13
	.byte	0x7
	.byte	0xa
	.long	0x1f3
	.uleb128 0x2
	.byte	0x91
	.sleb128 -24
	.byte	0
	.uleb128 0x4
	.byte	0x5
	.long	.LASF14
	.byte	0
	.section	.debug_abbrev,"",@progbits
.Ldebug_abbrev0:
	.uleb128 0x1
	.uleb128 0x5
	.byte	0
	.uleb128 0x3
	.uleb128 0x8
	.uleb128 0x3a
	.uleb128 0x21
	.sleb128 1
	.uleb128 0x3b
	.uleb128 0xb
	.uleb128 0x39
	.uleb128 0xb
	.uleb128 0x49
	.uleb128 0x13
	.uleb128 0x2
	.uleb128 0x18
	.byte	0
	.byte	0
	.uleb128 0x2
	.uleb128 0xd
	.byte	0
	.uleb128 0x3
	.uleb128 0xe
	.uleb128 0x3a
	.uleb128 0x21
	.sleb128 1
	.uleb128 0x3b
	.uleb128 0xb
	.uleb128 0x39
	.uleb128 0x21
	.sleb128 9
	.uleb128 0x49
	.uleb128 0x13
	.uleb128 0x38
	.uleb128 0xb
	.byte	0
	.byte	0
	.uleb128 0x3
	.uleb128 0x5
	.byte	0
	.uleb128 0x3
	.uleb128 0xe
	.uleb128 0x3a
	.uleb128 0x21
	.sleb128 1
	.uleb128 0x3b
	.uleb128 0xb
	.uleb128 0x39
	.uleb128 0xb
	.uleb128 0x49
	.uleb128 0x13
	.uleb128 0x2
	.uleb128 0x18
	.byte	0
	.byte	0
	.uleb128 0x4
	.uleb128 0x24
	.byte	0
	.uleb128 0xb
	.uleb128 0x21
	.sleb128 8
	.uleb128 0x3e
	.uleb128 0xb
	.uleb128 0x3
	.uleb128 0xe
	.byte	0
	.byte	0
	.uleb128 0x5
	.uleb128 0x34
	.byte	0
	.uleb128 0x3
	.uleb128 0xe
	.uleb128 0x3a
	.uleb128 0x21
	.sleb128 1
	.uleb128 0x3b
	.uleb128 0xb
	.uleb128 0x39
	.uleb128 0xb
	.uleb128 0x49
	.uleb128 0x13
	.uleb128 0x2
	.uleb128 0x18
	.byte	0
	.byte	0
	.uleb128 0x6
	.uleb128 0x34
	.byte	0
	.uleb128 0x3
	.uleb128 0x8
	.uleb128 0x3a
	.uleb128 0x21
	.sleb128 1
	.uleb128 0x3b
	.uleb128 0xb
	.uleb128 0x39
	.uleb128 0xb
	.uleb128 0x49
	.uleb128 0x13
	.uleb128 0x2
	.uleb128 0x18
	.byte	0
	.byte	0
	.uleb128 0x7
	.uleb128 0x2e
	.byte	0x1
	.uleb128 0x3f
	.uleb128 0x19
	.uleb128 0x3
	.uleb128 0xe
	.uleb128 0x3a
	.uleb128 0x21
	.sleb128 1
	.uleb128 0x3b
	.uleb128 0xb
	.uleb128 0x39
	.uleb128 0xb
	.uleb128 0x27
	.uleb128 0x19
	.uleb128 0x49
	.uleb128 0x13
	.uleb128 0x11
	.uleb128 0x1
	.uleb128 0x12
	.uleb128 0x7
	.uleb128 0x40
	.uleb128 0x18
	.uleb128 0x7a
	.uleb128 0x19
	.uleb128 0x1
	.uleb128 0x13
	.byte	0
	.byte	0
	.uleb128 0x8
	.uleb128 0x11
	.byte	0x1
	.uleb128 0x25
	.uleb128 0xe
	.uleb128 0x13
	.uleb128 0xb
	.uleb128 0x3
	.uleb128 0x1f
	.uleb128 0x1b
	.uleb128 0x1f
	.uleb128 0x11
	.uleb128 0x1
	.uleb128 0x12
	.uleb128 0x7
	.uleb128 0x10
	.uleb128 0x17
	.byte	0
	.byte	0
	.uleb128 0x9
	.uleb128 0x13
	.byte	0x1
	.uleb128 0x3
	.uleb128 0xe
	.uleb128 0xb
	.uleb128 0xb
	.uleb128 0x3a
	.uleb128 0xb
	.uleb128 0x3b
	.uleb128 0xb
	.uleb128 0x39
	.uleb128 0xb
	.uleb128 0x1
	.uleb128 0x13
	.byte	0
	.byte	0
	.uleb128 0xa
	.uleb128 0x24
	.byte	0
	.uleb128 0xb
	.uleb128 0xb
	.uleb128 0x3e
	.uleb128 0xb
	.uleb128 0x3
	.uleb128 0x8
	.byte	0
	.byte	0
	.uleb128 0xb
	.uleb128 0x35
	.byte	0
	.uleb128 0x49
	.uleb128 0x13
	.byte	0
	.byte	0
	.uleb128 0xc
	.uleb128 0x1
	.byte	0x1
	.uleb128 0x49
	.uleb128 0x13
	.uleb128 0x1
	.uleb128 0x13
	.byte	0
	.byte	0
	.uleb128 0xd
	.uleb128 0x21
	.byte	0
	.uleb128 0x49
	.uleb128 0x13
	.uleb128 0x2f
	.uleb128 0xb
	.byte	0
	.byte	0
	.uleb128 0xe
	.uleb128 0x34
	.byte	0
	.uleb128 0x3
	.uleb128 0xe
	.uleb128 0x3a
	.uleb128 0xb
	.uleb128 0x3b
	.uleb128 0xb
	.uleb128 0x39
	.uleb128 0xb
	.uleb128 0x49
	.uleb128 0x13
	.uleb128 0x3f
	.uleb128 0x19
	.uleb128 0x2
	.uleb128 0x18
	.byte	0
	.byte	0
	.uleb128 0xf
	.uleb128 0x2e
	.byte	0x1
	.uleb128 0x3f
	.uleb128 0x19
	.uleb128 0x3
	.uleb128 0xe
	.uleb128 0x3a
	.uleb128 0xb
	.uleb128 0x3b
	.uleb128 0xb
	.uleb128 0x39
	.uleb128 0xb
	.uleb128 0x27
	.uleb128 0x19
	.uleb128 0x11
	.uleb128 0x1
	.uleb128 0x12
	.uleb128 0x7
	.uleb128 0x40
	.uleb128 0x18
	.uleb128 0x7c
	.uleb128 0x19
	.uleb128 0x1
	.uleb128 0x13
	.byte	0
	.byte	0
	.uleb128 0x10
	.uleb128 0xb
	.byte	0x1
	.uleb128 0x11
	.uleb128 0x1
	.uleb128 0x12
	.uleb128 0x7
	.byte	0
	.byte	0
	.uleb128 0x11
	.uleb128 0xf
	.byte	0
	.uleb128 0xb
	.uleb128 0xb
	.uleb128 0x49
	.uleb128 0x13
	.byte	0
	.byte	0
	.uleb128 0x12
	.uleb128 0x2e
	.byte	0x1
	.uleb128 0x3f
	.uleb128 0x19
	.uleb128 0x3
	.uleb128 0xe
	.uleb128 0x3a
	.uleb128 0xb
	.uleb128 0x3b
	.uleb128 0xb
	.uleb128 0x39
	.uleb128 0xb
	.uleb128 0x27
	.uleb128 0x19
	.uleb128 0x11
	.uleb128 0x1
	.uleb128 0x12
	.uleb128 0x7
	.uleb128 0x40
	.uleb128 0x18
	.uleb128 0x7a
	.uleb128 0x19
	.uleb128 0x1
	.uleb128 0x13
	.byte	0
	.byte	0
	.uleb128 0x13
	.uleb128 0x2e
	.byte	0x1
	.uleb128 0x3
	.uleb128 0xe
	.uleb128 0x3a
	.uleb128 0xb
	.uleb128 0x3b
	.uleb128 0xb
	.uleb128 0x39
	.uleb128 0xb
	.uleb128 0x27
	.uleb128 0x19
	.uleb128 0x49
	.uleb128 0x13
	.uleb128 0x11
	.uleb128 0x1
	.uleb128 0x12
	.uleb128 0x7
	.uleb128 0x40
	.uleb128 0x18
	.uleb128 0x7a
	.uleb128 0x19
	.uleb128 0x1
	.uleb128 0x13
	.byte	0
	.byte	0
	.byte	0
	.section	.debug_aranges,"",@progbits
	.long	0x2c
	.value	0x2
	.long	.Ldebug_info0
	.byte	0x8
	.byte	0
	.value	0
	.value	0
	.quad	.Ltext0
	.quad	.Letext0-.Ltext0
	.quad	0
	.quad	0
	.section	.debug_line,"",@progbits
.Ldebug_line0:
	.section	.debug_str,"MS",@progbits,1
.LASF4:
	.string	"items"
.LASF10:
	.string	"queue_pop"
.LASF5:
	.string	"long unsigned int"
.LASF14:
	.string	"long int"
.LASF9:
	.string	"item"
.LASF6:
	.string	"shared"
.LASF8:
	.string	"queue_push"
.LASF2:
	.string	"capacity"
.LASF18:
	.string	"call"
.LASF3:
	.string	"count"
.LASF15:
	.string	"GNU C17 12.2.0 -mtune=generic -march=x86-64 -g -O0 -ffreestanding -fno-pie -fno-stack-protector -fcf-protection=none -fasynchronous-unwind-tables"
.LASF16:
	.string	"queue"
.LASF13:
	.string	"result"
.LASF17:
	.string	"total"
.LASF11:
	.string	"queue_new"
.LASF7:
	.string	"begin"
.LASF12:
	.string	"number"
	.section	.debug_line_str,"MS",@progbits,1
.LASF1:
	.string	"/recorded"
.LASF0:
	.string	"recorded.c"
	.ident	"GCC: (Debian 12.2.0-14+deb12u1) 12.2.0"
	.section	.note.GNU-stack,"",@progbits
